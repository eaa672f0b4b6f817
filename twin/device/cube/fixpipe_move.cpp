// SPDX-License-Identifier: Apache-2.0
#include "device/cube/fixpipe_move.h"

#include <cstring>

#include "device/cube/product.h"
#include "device/lanes/arithmetic.h"

namespace twin::cube {
namespace {

constexpr uint32_t kWord = 4;  ///< bytes of an element of L0C

void Saturate(const Core& core, Dtype dtype, uint8_t* values, uint32_t count) {
    const lanes::ClampFn clamp = lanes::BestCasts().clamp[static_cast<size_t>(dtype)];
    if (clamp != nullptr && !core.CtrlBit(kCtrlInfNan)) {
        clamp(values, count);
    }
}

/// Converts `count` <= kLine numbers of L0C; it overwrites them.
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

/// Copies columns `first` to `first + count` of one row, from the stripes of 16 columns.
void GatherRow(uint8_t* values, const CopyOut& out, const uint8_t* src, uint32_t row,
               uint32_t first, uint32_t count) {
    for (uint32_t done = 0; done < count; done += kSide) {
        const uint32_t column = first + done;
        const uint64_t place =
            (uint64_t{column / kSide} * out.srcStride + row) * kSide + column % kSide;
        uint8_t* to = values + size_t{done} * kWord;
        if (count - done >= kSide) {
            // Compilers turn a copy of fixed length into a few moves, and any other into a slow
            // string instruction.
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

/// One stripe of `width` columns, row by row.
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
        // 8-bit stripes have 32 columns; an odd last stripe of 16 columns keeps its rows of 16.
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

}  // namespace twin::cube
