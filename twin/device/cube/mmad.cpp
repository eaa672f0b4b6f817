// SPDX-License-Identifier: Apache-2.0
#include "device/cube/mmad.h"

#include <cstring>
#include <memory>

#include "device/cube/fractals.h"
#include "device/cube/product.h"
#include "device/cube/product_marks.h"
#include "device/cube/unit_flags.h"
#include "device/lanes/cast.h"

namespace twin::cube {
namespace {

constexpr char kMmadApi[] = "Mmad";
constexpr auto kBiasTable = static_cast<size_t>(Memory::Bt);

/// The start values of the sums.
enum class Origin : uint8_t { Zero, Kept, BiasTable, OtherMatrix };

/// Sizes of one product, in fractals.
struct Blocks {
    uint32_t m;
    uint32_t n;
    uint32_t k;
    uint32_t aRow;  ///< fractals in a row of A, which float may align to two

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
            return Origin::BiasTable;  // from its start, because the call gives no address
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

void SpreadBias(uint32_t* c, const uint32_t* bias, uint32_t n, const Blocks& blocks) {
    for (uint32_t column = 0; column < blocks.n; ++column) {
        uint32_t row[kSide] = {};
        const uint32_t count = std::min<uint32_t>(kSide, n - column * kSide);
        std::memcpy(row, bias + column * kSide, count * sizeof(uint32_t));
        for (uint32_t r = 0; r < blocks.m * kSide; ++r, c += kSide) {
            std::memcpy(c, row, sizeof(row));
        }
    }
}

/// The sums, or their marks, before the product is added.
void Start(uint8_t* c, const uint8_t* bias, Origin origin, uint32_t n, const Blocks& blocks) {
    if (origin == Origin::BiasTable) {
        SpreadBias(reinterpret_cast<uint32_t*>(c), reinterpret_cast<const uint32_t*>(bias), n,
                   blocks);
    } else if (origin == Origin::OtherMatrix) {
        std::memmove(c, bias, blocks.CellsC() * kCellBytes);
    }
}

/// No document defines these: rows and columns of the last fractals beyond m and n.
void PoisonTails(uint32_t* c, uint32_t m, uint32_t n, const Blocks& blocks) {
    const uint32_t tailRows = blocks.m * kSide - m;
    for (uint32_t column = 0; column < blocks.n && tailRows != 0; ++column) {
        uint32_t* first = c + (uint64_t{column} * blocks.m * kSide + m) * kSide;
        std::fill_n(first, tailRows * kSide, kPoison);
    }
    const uint32_t tailColumns = blocks.n * kSide - n;
    if (tailColumns != 0) {
        uint32_t* last = c + uint64_t{blocks.n - 1} * blocks.m * kSide * kSide;
        for (uint32_t row = 0; row < m; ++row) {
            std::fill_n(last + row * kSide + (kSide - tailColumns), tailColumns, kPoison);
        }
    }
}

/// The operands of one product.
struct Operands {
    uint8_t* c;
    const uint8_t* a;
    const uint8_t* b;
    const uint8_t* bias;
};

Operands Note(Issue& issue, const Operand& dst, const Operand& a, const Operand& b,
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
    Operands found = {};
    const bool whole = dtype == Dtype::I8 || dtype == Dtype::I4;
    const Dtype sums = whole ? Dtype::I32 : Dtype::F32;
    found.c = WriteFractals(issue, "c", dst, Memory::L0c, cells, kCellBytes, sumBytes);
    issue.As(sums);
    found.a = ReadFractals(issue, "a", a, Memory::L0a, Runs{aRow, aRows}, kFractalBytes,
                           counted(params.m, params.k));
    issue.As(dtype);
    found.b = ReadFractals(issue, "b", b, Memory::L0b,
                           Runs{uint64_t{blocks.k} * blocks.n * kFractalBytes}, kFractalBytes,
                           counted(params.k, params.n));
    issue.As(dtype);
    if (origin == Origin::Kept) {
        issue.Note("c", Memory::L0c, dst.address, cells, false);
        issue.As(sums);
    } else if (origin == Origin::BiasTable) {
        const Operand table = {0, static_cast<uint32_t>(issue.core().memoryBytes[kBiasTable]),
                               static_cast<uint8_t>(AscendC::TPosition::C2)};
        found.bias = issue.Read("bias", bias == nullptr ? table : *bias, Memory::Bt,
                                Runs{uint64_t{params.n} * sizeof(uint32_t)}, 64);
        issue.As(sums);
    } else if (origin == Origin::OtherMatrix) {
        found.bias = ReadFractals(issue, "bias", *bias, Memory::L0c, cells, kCellBytes, sumBytes);
        issue.As(sums);
    }
    NoteUnits(issue, params.unitFlag);
    issue.Reads(Register::Ctrl);
    return found;
}

void FollowProduct(const ByteMarks& marks, const Operands& operands,
                   const AscendC::MmadParams& params, Origin origin, const Blocks& blocks,
                   Dtype dtype) {
    const bool whole = dtype == Dtype::I8 || dtype == Dtype::I4;
    const bool vector = params.m == 1;
    const uint64_t bytes = CeilDiv(uint64_t{params.k} * kRowBytes, RowElements(dtype));
    const ProductLines a = {marks.Of(Memory::L0a, operands.a),
                            whole ? operands.a : nullptr,
                            params.m,
                            vector ? 1 : blocks.m * kSide,
                            uint64_t{blocks.aRow} * kFractalBytes,
                            vector ? kRowBytes : kFractalBytes,
                            bytes};
    const ProductLines b = {marks.Of(Memory::L0b, operands.b),
                            whole ? operands.b : nullptr,
                            params.n,
                            blocks.n * kSide,
                            kFractalBytes,
                            uint64_t{blocks.n} * kFractalBytes,
                            bytes};
    uint8_t* const c = marks.Of(Memory::L0c, operands.c);
    if (operands.bias != nullptr) {
        const Memory from = origin == Origin::BiasTable ? Memory::Bt : Memory::L0c;
        Start(c, marks.Of(from, operands.bias), origin, params.n, blocks);
    }
    MarkProduct(c, a, b, origin != Origin::Zero);
}

}  // namespace

bool IsEmpty(const char* api, const AscendC::MmadParams& params) {
    CheckRange(api, "m", params.m, 0, kMaxDimension);
    CheckRange(api, "n", params.n, 0, kMaxDimension);
    CheckRange(api, "k", params.k, 0, kMaxDimension);
    return params.m == 0 || params.n == 0 || params.k == 0;
}

lanes::MatrixScratch& ProductScratch() {
    static thread_local std::unique_ptr<lanes::MatrixScratch> scratch;
    if (scratch == nullptr) {
        scratch = std::make_unique<lanes::MatrixScratch>();
    }
    return *scratch;
}

lanes::MatrixFn ProductOf(const Core& core, Dtype dtype) {
    const lanes::MatrixFloatTable& floats = lanes::BestMatrixFloat();
    switch (dtype) {
        case Dtype::F16:
            return floats.half;
        case Dtype::Bf16:
            return floats.bfloat16;
        case Dtype::I8:
            return lanes::BestMatrixInt().int8;
        case Dtype::I4:
            return lanes::BestMatrixInt().int4;
        default:
            break;
    }
    if (!core.CtrlBit(kCtrlHf32)) {
        return floats.float32;
    }
    return core.CtrlBit(kCtrlHf32ToZero) ? floats.hf32ToZero : floats.hf32ToEven;
}

void FinishProduct(const Core& core, uint8_t* c, uint32_t m, uint32_t n, bool isFloat) {
    const Blocks blocks = {static_cast<uint32_t>(CeilDiv(m, kSide)),
                           static_cast<uint32_t>(CeilDiv(n, kSide)), 0, 0};
    if (isFloat && !core.CtrlBit(kCtrlInfNan)) {
        lanes::BestCasts().clampFloat(c, blocks.CellsC() * kSide * kSide);
    }
    PoisonTails(reinterpret_cast<uint32_t*>(c), m, n, blocks);
}

void Multiply(const Operand& dst, const Operand& a, const Operand& b, const Operand* bias,
              const AscendC::MmadParams& params, Dtype dtype, Location where) {
    Issue issue(kMmadApi, Pipe::M, CoreKind::Aic, where);
    if (!issue || IsEmpty(kMmadApi, params)) {
        return;
    }
    Core& core = issue.core();
    const Blocks blocks = BlocksOf(params, dtype);
    const Origin origin = OriginOf(core, params, bias);
    const bool hf32 = dtype == Dtype::F32 && core.CtrlBit(kCtrlHf32);
    issue.Opcode(params.m == 1 ? "MmadVector" : (hf32 ? "MmadHf32" : "Mmad"));
    issue.Type(dtype);
    issue.Work(blocks.CellsC() * blocks.k, uint64_t{params.m} * params.n * params.k);
    const Operands operands = Note(issue, dst, a, b, bias, origin, params, blocks, dtype);
    if (!issue.Ready(Overlap::Free)) {  // the bias may be C itself
        return;
    }
    WriteUnits(core, dst.address, blocks.CellsC(), params.unitFlag, kMmadApi);
    Start(operands.c, operands.bias, origin, params.n, blocks);
    const lanes::MatrixShape shape = {params.m,    params.n,      params.k,
                                      blocks.aRow, params.m == 1, origin != Origin::Zero};
    ProductOf(core, dtype)(operands.c, operands.a, operands.b, shape, ProductScratch());
    FinishProduct(core, operands.c, params.m, params.n, dtype != Dtype::I8 && dtype != Dtype::I4);
    const auto follow = [&](ByteMarks& marks) {
        FollowProduct(marks, operands, params, origin, blocks, dtype);
    };
    issue.Follow(follow);
    issue.Done();
}

}  // namespace twin::cube
