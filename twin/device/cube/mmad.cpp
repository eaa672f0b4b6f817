// SPDX-License-Identifier: Apache-2.0
#include "device/cube/mmad.h"

#include <cstring>
#include <vector>

#include "device/cube/params.h"
#include "device/cube/product.h"
#include "device/lanes/arithmetic.h"

namespace twin::cube {
namespace {

constexpr char kMmadApi[] = "Mmad";
constexpr auto kBiasTable = static_cast<size_t>(Memory::Bt);

/// The values from which the sums of a matrix product start.
enum class Origin : uint8_t { Zero, Kept, BiasTable, OtherMatrix };

/// Sizes of one matrix product, in fractals.
struct Blocks {
    uint32_t m;
    uint32_t n;
    uint32_t k;
    uint32_t aRow;  ///< fractals in a row of A; kDirectionAlign makes the number even for float

    uint64_t CellsC() const { return uint64_t{m} * n; }
};

Blocks BlocksOf(const AscendC::MmadParams& params, Dtype dtype) {
    const auto k = static_cast<uint32_t>(CeilDiv(params.k, RowElements(dtype)));
    const bool pairs = params.kDirectionAlign && dtype == Dtype::F32;
    return {static_cast<uint32_t>(CeilDiv(params.m, kSide)),
            static_cast<uint32_t>(CeilDiv(params.n, kSide)), k,
            pairs ? static_cast<uint32_t>(Align(k, 2)) : k};
}

Origin OriginOf(Core& core, const AscendC::MmadParams& params, const Operand* bias) {
    if (bias == nullptr) {
        if (params.cmatrixInitVal && !params.isBias) {
            return Origin::Zero;
        }
        if (params.cmatrixSource) {
            return Origin::BiasTable;  // from the table's start: the call gives no address
        }
        return Origin::Kept;
    }
    if (params.cmatrixInitVal) {
        if (core.strict) {
            Fail("T460",
                 "bias without effect: Mmad with a bias and cmatrixInitVal = true starts from "
                 "zero\n  try: params.cmatrixInitVal = false");
        }
        return Origin::Zero;
    }
    const Memory memory = MemoryOf(bias->position);
    if (memory != Memory::Bt) {
        RequireMemory(*bias, Memory::L0c, kMmadApi, "bias");
    }
    return memory == Memory::Bt ? Origin::BiasTable : Origin::OtherMatrix;
}

/// Adds the operands of a Mmad to `issue`, checks them, and returns their types and host addresses.
Product Note(Issue& issue, const Operand& dst, const Operand& a, const Operand& b,
             const Operand* bias, Origin origin, const AscendC::MmadParams& params,
             const Blocks& blocks, Dtype dtype) {
    const Runs cells{blocks.CellsC() * kCellBytes};
    const uint64_t aRow = uint64_t{blocks.k} * (params.m == 1 ? kRowBytes : kFractalBytes);
    const Level aRows = {blocks.m, uint64_t{blocks.aRow} * kFractalBytes};
    const auto counted = [dtype](uint32_t rows, uint32_t columns) {
        return Unrounded(rows, dtype) * Unrounded(columns, dtype) * kRowBytes / RowElements(dtype);
    };
    const uint64_t sumBytes =
        Unrounded(params.m, dtype) * Unrounded(params.n, dtype) * sizeof(uint32_t);
    Product found = {};
    found.dtype = dtype;
    found.shape = {params.m,    params.n,      params.k,
                   blocks.aRow, params.m == 1, origin != Origin::Zero};
    const bool whole = dtype == Dtype::I8 || dtype == Dtype::I4;
    const Dtype sums = whole ? Dtype::I32 : Dtype::F32;
    found.c = WriteFractals(issue, Arg::C, dst, Memory::L0c, cells, kCellBytes, sumBytes);
    issue.As(sums);
    found.a = ReadFractals(issue, Arg::A, a, Memory::L0a, Runs{aRow, aRows}, kFractalBytes,
                           counted(params.m, params.k));
    issue.As(dtype);
    found.b = ReadFractals(issue, Arg::B, b, Memory::L0b,
                           Runs{uint64_t{blocks.k} * blocks.n * kFractalBytes}, kFractalBytes,
                           counted(params.k, params.n));
    issue.As(dtype);
    if (origin == Origin::Kept) {
        issue.Note(Arg::C, Memory::L0c, dst.address, cells, false);
        issue.As(sums);
    } else if (origin == Origin::BiasTable) {
        const Operand table = {0, static_cast<uint32_t>(issue.core().memoryBytes[kBiasTable]),
                               static_cast<uint8_t>(AscendC::TPosition::C2)};
        found.bias = issue.Read(Arg::Bias, bias == nullptr ? table : *bias, Memory::Bt,
                                Runs{uint64_t{params.n} * sizeof(uint32_t)}, 64);
        issue.As(sums);
    } else if (origin == Origin::OtherMatrix) {
        found.bias =
            ReadFractals(issue, Arg::Bias, *bias, Memory::L0c, cells, kCellBytes, sumBytes);
        found.biasMemory = Memory::L0c;
        issue.As(sums);
    }
    NoteUnits(issue, params.unitFlag);
    issue.Reads(Register::Ctrl);
    return found;
}

constexpr char kLoad[] = "LoadDataWithSparse";
constexpr char kMultiply[] = "MmadWithSparse";
constexpr uint32_t kIndexBytes = kFractalBytes / 4;  ///< bytes of sparse index for one fractal
constexpr uint32_t kDense = 32;                      ///< values along k in a sparse fractal

/// Expands a sparse fractal to two full fractals: each pair of kept values becomes four values.
void Expand(int8_t* first, int8_t* second, const int8_t* kept, const uint8_t* index) {
    for (uint32_t column = 0; column < kSide; ++column) {
        for (uint32_t group = 0; group < kDense / 2; ++group) {
            const uint32_t fields = index[column * (kDense / 4) + group / 2] >> group % 2 * 4;
            const uint32_t low = fields & 3U;
            const uint32_t high = (fields >> 2 & 3U) + 1;
            const int8_t values[2] = {kept[column * kDense + 2 * group],
                                      kept[column * kDense + 2 * group + 1]};
            if (low > 2 || high > 3 || (low == high && values[0] != 0 && values[1] != 0)) {
                Fail(
                    "T467",
                    "sparse index: %s with the pair (%u, %u) for column %u, group %u, expected two "
                    "fields of 0 to 2 that name two different numbers",
                    kMultiply, low, high - 1, column, group);
            }
            int8_t* half = group < kDense / 4 ? first : second;
            int8_t* four = half + column * kDense + group % (kDense / 4) * 4;
            std::memset(four, 0, 4);
            four[high] = values[1];
            if (values[0] != 0 || low != high) {
                four[low] = values[0];
            }
        }
    }
}

/// Expands a sparse matrix of `rows` x `columns` fractals to a full matrix of 2 * rows x columns.
std::vector<int8_t> ExpandAll(const uint8_t* kept, const uint8_t* index, uint32_t rows,
                              uint32_t columns) {
    std::vector<int8_t> full(uint64_t{2} * rows * columns * kFractalBytes);
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t column = 0; column < columns; ++column) {
            const uint64_t fractal = uint64_t{row} * columns + column;
            int8_t* first = full.data() + (uint64_t{2 * row} * columns + column) * kFractalBytes;
            Expand(first, first + uint64_t{columns} * kFractalBytes,
                   reinterpret_cast<const int8_t*>(kept + fractal * kFractalBytes),
                   index + fractal * kIndexBytes);
        }
    }
    return full;
}

std::vector<uint8_t>& IndexBuffer(Core& core) {
    std::vector<uint8_t>& buffer = core.state->cube.sparseIndex;
    if (buffer.empty()) {  // fill it with 0xFF, which is not a valid index
        buffer.assign(core.memoryBytes[static_cast<size_t>(Memory::L0b)] / 4, 0xFF);
    }
    return buffer;
}

}  // namespace

bool IsEmpty(const char* api, const AscendC::MmadParams& params) {
    CheckRange(api, "m", params.m, 0, kMaxDimension);
    CheckRange(api, "n", params.n, 0, kMaxDimension);
    CheckRange(api, "k", params.k, 0, kMaxDimension);
    return params.m == 0 || params.n == 0 || params.k == 0;
}

void Multiply(const Operand& dst, const Operand& a, const Operand& b, const Operand* bias,
              const AscendC::MmadParams& params, Dtype dtype, Location where) {
    Issue issue(Opcode::Mmad, CoreKind::Aic, where);
    if (!issue || IsEmpty(kMmadApi, params)) {
        return;
    }
    Core& core = issue.core();
    const Blocks blocks = BlocksOf(params, dtype);
    const Origin origin = OriginOf(core, params, bias);
    const bool hf32 = dtype == Dtype::F32 && core.CtrlBit(kCtrlHf32);
    issue.RecordAs(params.m == 1 ? Opcode::MmadVector : (hf32 ? Opcode::MmadHf32 : Opcode::Mmad));
    issue.Type(dtype);
    issue.core().ComputesWith(dtype);
    issue.Work(blocks.CellsC() * blocks.k, uint64_t{params.m} * params.n * params.k);
    const Product product = Note(issue, dst, a, b, bias, origin, params, blocks, dtype);
    issue.Ready(Overlap::Free);  // the bias may be C itself
    WriteUnits(core, dst.address, blocks.CellsC(), params.unitFlag, kMmadApi);
    product.Compute(core);
    const auto follow = [&](const ByteMarks& marks) { product.Mark(marks); };
    issue.Follow(follow);
    issue.Done();
}

void LoadSparse(const Operand& dst, const Operand& src, const Operand& index,
                const AscendC::LoadData2DParams& params, Location where) {
    Issue issue(Opcode::LoadDataWithSparse, CoreKind::Aic, where);
    if (!issue || params.repeatTimes == 0) {
        return;
    }
    if (params.ifTranspose) {
        Fail("T452", "transpose not available: %s with ifTranspose, expected false", kLoad);
    }
    const Runs kept{uint64_t{params.repeatTimes} * kFractalBytes};
    const Runs fields{uint64_t{params.repeatTimes} * kIndexBytes};
    issue.Type(Dtype::I8);
    issue.Work(params.repeatTimes, kept.bytes);
    issue.Writes(Register::SparseIndex);
    uint8_t* to = WriteFractals(issue, Arg::Dst, dst, Memory::L0b, kept);
    const uint8_t* from =
        issue.Read(Arg::Src, Advance(src, uint64_t{params.startIndex} * kFractalBytes), Memory::L1,
                   kept, kRowBytes);
    const uint8_t* pairs =
        issue.Read(Arg::Idx, Advance(index, uint64_t{params.startIndex} * kIndexBytes), Memory::L1,
                   fields, kRowBytes);
    issue.Ready();
    const auto effect = [&](const auto& bytes) {
        std::memcpy(bytes.Of(Memory::L0b, to), bytes.Of(Memory::L1, from), kept.bytes);
    };
    issue.Moves(effect);
    std::memcpy(IndexBuffer(issue.core()).data() + dst.address / 4, pairs, fields.bytes);
    issue.Done();
}

void MultiplySparse(const Operand& dst, const Operand& a, const Operand& b,
                    const AscendC::MmadParams& params, Location where) {
    Issue issue(Opcode::MmadWithSparse, CoreKind::Aic, where);
    if (!issue || IsEmpty(kMultiply, params)) {
        return;
    }
    Core& core = issue.core();
    if (params.cmatrixSource || params.kDirectionAlign || params.k % (2 * kDense) != 0) {
        Fail("T455",
             "not modelled: %s with k %u, cmatrixSource %d and kDirectionAlign %d, expected a "
             "multiple of 64 and false",
             kMultiply, params.k, params.cmatrixSource, params.kDirectionAlign);
    }
    const auto mCells = static_cast<uint32_t>(CeilDiv(params.m, kSide));
    const auto nCells = static_cast<uint32_t>(CeilDiv(params.n, kSide));
    const uint32_t k = params.k / kDense;  // number of fractals of A along k
    const uint64_t cells = uint64_t{mCells} * nCells;
    const bool keeps = !params.cmatrixInitVal || params.isBias;
    const Runs all{cells * kCellBytes};
    issue.Type(Dtype::I8);
    issue.Work(cells * (k / 2), uint64_t{params.m} * params.n * params.k);
    uint8_t* c = WriteFractals(
        issue, Arg::C, dst, Memory::L0c, all, kCellBytes,
        Unrounded(params.m, Dtype::I8) * Unrounded(params.n, Dtype::I8) * sizeof(int32_t));
    const uint8_t* left =
        ReadFractals(issue, Arg::A, a, Memory::L0a, Runs{uint64_t{mCells} * k * kFractalBytes});
    const uint8_t* kept =
        ReadFractals(issue, Arg::B, b, Memory::L0b, Runs{uint64_t{k / 2} * nCells * kFractalBytes});
    if (keeps) {
        issue.Note(Arg::C, Memory::L0c, dst.address, all, false);
    }
    issue.Reads(Register::SparseIndex);
    NoteUnits(issue, params.unitFlag);
    issue.Ready();
    const std::vector<int8_t> right =
        ExpandAll(kept, IndexBuffer(core).data() + b.address / 4, k / 2, nCells);
    WriteUnits(core, dst.address, cells, params.unitFlag, kMultiply);
    // Unlike Mmad, this instruction reads A in fractal order even if m is 1.
    Product product = {Dtype::I8, {params.m, params.n, params.k, k, false, keeps}, c, left, kept};
    product.fullB = right.data();
    product.Compute(core);
    const auto follow = [&](const ByteMarks& marks) { product.Mark(marks); };
    issue.Follow(follow);
    issue.Done();
}

}  // namespace twin::cube
