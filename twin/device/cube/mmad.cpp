// SPDX-License-Identifier: Apache-2.0
#include "device/cube/mmad.h"

#include "device/cube/params.h"
#include "device/cube/product.h"
#include "device/lanes/arithmetic.h"

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

/// Notes and checks the operands; returns their places in a product.
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
    issue.Work(blocks.CellsC() * blocks.k, uint64_t{params.m} * params.n * params.k);
    const Product product = Note(issue, dst, a, b, bias, origin, params, blocks, dtype);
    if (!issue.Ready(Overlap::Free)) {  // the bias may be C itself
        return;
    }
    WriteUnits(core, dst.address, blocks.CellsC(), params.unitFlag, kMmadApi);
    product.Compute(core);
    const auto follow = [&](const ByteMarks& marks) { product.Mark(marks); };
    issue.Follow(follow);
    issue.Done();
}

}  // namespace twin::cube
