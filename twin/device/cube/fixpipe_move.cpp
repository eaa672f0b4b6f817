// SPDX-License-Identifier: Apache-2.0
#include "device/cube/fixpipe_move.h"

#include <cstring>

#include "device/cube/copy_from_co1.h"
#include "device/cube/product.h"
#include "device/lanes/arithmetic.h"

namespace twin::cube {
namespace {

constexpr uint32_t kWord = 4;  ///< size of an element of L0C in bytes

void Saturate(const Core& core, Dtype dtype, uint8_t* values, uint32_t count) {
    const lanes::ClampFn clamp = lanes::BestCasts().clamp[static_cast<size_t>(dtype)];
    if (clamp != nullptr && !core.CtrlBit(kCtrlInfNan)) {
        clamp(values, count);
    }
}

/// Converts at most kLine elements from L0C and stores them in `dst`; may overwrite `values`.
void Convert(const Core& core, const CopyOut& out, uint8_t* dst, uint8_t* values,
             const lanes::QuantColumns& columns, uint32_t count) {
    const lanes::QuantTable& quant = lanes::BestQuant();
    if (SizeOf(out.to) == 1) {
        (out.from == Dtype::F32 ? quant.floatToByte : quant.int32ToByte)(dst, values, columns,
                                                                         count);
        return;
    }
    if (out.from == Dtype::I32 && out.to == Dtype::F16) {
        quant.int32ToHalf(dst, values, columns, count);
        Saturate(core, out.to, dst, count);
        return;
    }
    if (out.relu) {
        const auto relu = static_cast<size_t>(lanes::UnaryOp::Relu);
        lanes::BestArithmetic().unary[relu][static_cast<size_t>(out.from)](values, values, count);
    }
    if (out.from == out.to) {
        std::memcpy(dst, values, size_t{count} * kWord);
        return;
    }
    lanes::BestCasts().cast[static_cast<size_t>(out.to)][static_cast<size_t>(Dtype::F32)](
        dst, values, count, lanes::Round::Rint);
    Saturate(core, out.to, dst, count);
}

void Store(Core& core, const Destination& to, uint64_t offset, const uint8_t* data,
           uint64_t bytes) {
    if (to.gm != nullptr) {
        core.StoreGm(to.gm->address + offset, data, bytes);
    } else {
        std::memcpy(to.start + offset, data, bytes);
    }
}

/// Copies columns [first, first + count) of one row. L0C stores a row in stripes of 16 columns.
void GatherRow(uint8_t* values, const CopyOut& out, const uint8_t* src, uint32_t row,
               uint32_t first, uint32_t count) {
    for (uint32_t done = 0; done < count; done += kSide) {
        const uint32_t column = first + done;
        const uint64_t place =
            (uint64_t{column / kSide} * out.srcStride + row) * kSide + column % kSide;
        uint8_t* to = values + size_t{done} * kWord;
        if (count - done >= kSide) {
            // Compilers turn a copy of fixed length into a few moves, but a copy of variable
            // length into a slow string instruction.
            std::memcpy(to, src + place * kWord, size_t{kSide} * kWord);
        } else {
            std::memcpy(to, src + place * kWord, size_t{count - done} * kWord);
        }
    }
}

void MoveRows(Core& core, const CopyOut& out, const Destination& to, uint64_t offset,
              const uint8_t* src, const QuantLines& quant) {
    const uint32_t size = SizeOf(out.to);
    alignas(64) uint8_t values[kLine * kWord];
    alignas(64) uint8_t line[4096 * kWord];
    for (uint32_t row = 0; row < out.rows; ++row) {
        for (uint32_t first = 0; first < out.columns; first += kLine) {
            const uint32_t count = std::min<uint32_t>(kLine, out.columns - first);
            GatherRow(values, out, src, row, first, count);
            Convert(core, out, line + size_t{first} * size, values, quant.From(first), count);
        }
        Store(core, to, offset + uint64_t{row} * out.dstStride * size, line,
              uint64_t{out.columns} * size);
    }
}

/// Converts and stores one stripe of `width` columns, row by row.
void MoveStripe(Core& core, const CopyOut& out, const Destination& to, uint64_t offset,
                const uint8_t* src, uint32_t column, uint32_t width, const QuantLines& repeated) {
    const uint32_t size = SizeOf(out.to);
    const uint32_t rowsInLine = kLine / width;
    alignas(64) uint8_t values[kLine * kWord];
    alignas(64) uint8_t line[kLine * kWord];
    for (uint32_t row = 0; row < out.rows; row += rowsInLine) {
        const uint32_t rows = std::min<uint32_t>(rowsInLine, out.rows - row);
        for (uint32_t r = 0; r < rows; ++r) {
            GatherRow(values + size_t{r} * width * kWord, out, src, row + r, column, width);
        }
        Convert(core, out, line, values, repeated.From(0), rows * width);
        Store(core, to, offset + uint64_t{row} * width * size, line, uint64_t{rows} * width * size);
    }
}

constexpr char kFromCo1Api[] = "DataCopy from CO1";

CopyOut FromParams(const Core& core, const AscendC::DataCopyCO12DstParams& params, bool toGm,
                   Dtype to, Dtype from) {
    const CubeState& state = core.state->cube;
    const bool rows = params.nz2ndEn && toGm;
    if (rows && !state.ndKnown) {
        Fail(
            "T457",
            "register not set: %s with nz2ndEn reads the number of matrices, which this kernel has "
            "not set\n  try: SetFixpipeNz2ndFlag before it",
            kFromCo1Api);
    }
    if (params.clipReluPre != 0 || params.eltWiseOp != 0) {
        Fail("T454",
             "not on this chip: %s with clipReluPre %u and eltWiseOp %u, expected 0 in both",
             kFromCo1Api, params.clipReluPre, params.eltWiseOp);
    }
    CheckRange(kFromCo1Api, "reluPre", params.reluPre, 0, 1);
    CopyOut out = CopyOutOf(Opcode::DataCopyFromCo1, params, rows, to, from);
    out.ndNum = rows ? state.ndNum : uint16_t{1};
    out.srcNdStride = state.srcNdStride;
    out.dstNdStride = state.dstNdStride;
    out.relu = params.reluPre == 1;
    out.split = params.channelSplit;
    return out;
}

void Copy(const Destination& dst, const Operand& src, const AscendC::DataCopyCO12DstParams& params,
          Dtype to, Dtype from, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aic, where)) {
        return;
    }
    const CopyOut out = FromParams(core, params, dst.gm != nullptr, to, from);
    if (out.columns != 0 && out.rows != 0 && out.ndNum != 0) {
        CheckCopyOut(core, out, false);
        RunCopyOut(core, out, dst, src);
    }
}

}  // namespace

uint32_t StripeColumns(const CopyOut& out) {
    return out.split ? kSide / 2 : (SizeOf(out.to) == 1 ? kSide * 2 : kSide);
}

void MoveMatrix(Core& core, const CopyOut& out, const Destination& to, uint64_t offset,
                const uint8_t* src, const QuantLines* quant) {
    static const QuantLines kNone = {};
    const QuantLines& lines = quant == nullptr ? kNone : *quant;
    if (out.rowMajor) {
        MoveRows(core, out, to, offset, src, lines);
        return;
    }
    const uint32_t width = StripeColumns(out);
    QuantLines repeated = {};
    for (uint32_t column = 0; column < out.columns; column += width) {
        // Stripes of 8-bit elements have 32 columns. A last stripe of 16 columns has rows of 16 B.
        const uint32_t count = std::min<uint32_t>(width, out.columns - column);
        if (quant != nullptr && (column == 0 || lines.perColumn || count != width)) {
            repeated.Repeat(lines, column, count);
        }
        MoveStripe(core, out, to, offset + uint64_t{column / width} * out.dstStride * kRowBytes,
                   src, column, count, repeated);
    }
}

void MarkMatrix(uint8_t* dst, const CopyOut& out, const uint8_t* src, const uint8_t* words) {
    constexpr uint32_t kWordBytes = 8;
    const uint32_t size = SizeOf(out.to);
    const uint32_t width = StripeColumns(out);
    for (uint32_t first = 0; first < out.columns; first += width) {
        uint8_t* to = dst + uint64_t{first / width} * out.dstStride * kRowBytes;
        const uint32_t count = std::min<uint32_t>(width, out.columns - first);
        for (uint32_t row = 0; row < out.rows; ++row) {
            for (uint32_t column = first; column < first + count; ++column, to += size) {
                const uint64_t line = uint64_t{column / kSide} * out.srcStride + row;
                const uint8_t mark = src[(line * kSide + column % kSide) * kWord];
                const bool scaled = mark == 0 && words != nullptr;
                std::memset(to, scaled ? words[size_t{column} * kWordBytes] : mark, size);
            }
        }
    }
}

void CopyCo1ToGm(const GmOperand& dst, const Operand& src,
                 const AscendC::DataCopyCO12DstParams& params, Dtype to, Dtype from,
                 Location where) {
    Copy({&dst}, src, params, to, from, where);
}

void CopyCo1ToL1(const Operand& dst, const Operand& src,
                 const AscendC::DataCopyCO12DstParams& params, Dtype to, Dtype from,
                 Location where) {
    Copy({nullptr, &dst}, src, params, to, from, where);
}

void SetNdParameters(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride, Location where) {
    Core& core = Self();
    if (core.BeginOn(CoreKind::Aic, where)) {
        CheckRange("SetFixpipeNz2ndFlag", "srcNdStride", srcNdStride, 0, 512);
        core.state->cube.ndNum = ndNum;
        core.state->cube.srcNdStride = srcNdStride;
        core.state->cube.dstNdStride = dstNdStride;
        core.state->cube.ndKnown = true;
    }
}

void SetQuantWord(uint64_t word, Location where) {
    Core& core = Self();
    if (core.BeginOn(CoreKind::Aic, where)) {
        core.state->cube.quantWord = word;
        core.state->cube.quantWordKnown = true;
    }
}

void SetFixpipeAddress(const Operand* vector, bool freeUnits, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aic, where)) {
        return;
    }
    if (freeUnits) {
        core.state->cube.unitFlags[0] = 0;
        core.state->cube.unitFlags[1] = 0;
    }
    const bool unitsOnly = freeUnits && MemoryOf(vector->position) == Memory::L0c;
    if (!unitsOnly) {
        CheckLocalOperand(core, *vector, Memory::Fb, 8, 128, "SetFixPipeConfig", "vector");
        core.state->cube.quantAddress = vector->address;
    }
}

}  // namespace twin::cube
