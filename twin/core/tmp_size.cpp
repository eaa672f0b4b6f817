// SPDX-License-Identifier: Apache-2.0
#include "core/tmp_size.h"

#include <algorithm>

#include "core/types.h"

namespace twin::advanced {
namespace {

constexpr bool kYes = true;
constexpr bool kNo = false;
constexpr uint64_t kLeast = kRepeatBytes;

// Rules in the order of ElementaryOp. Sizes are from the documentation of the host functions; the
// order of the library's steps shows whether the destination may be the source.
constexpr ElementaryRule kRules[kElementaryOps] = {
    {0, 2, 0, 0, kYes, kYes},   // Log
    {1, 4, 0, 0, kYes, kYes},   // Log2
    {0, 2, 0, 0, kYes, kYes},   // Log10
    {4, 4, 3, 2, kYes, kYes},   // ExpTaylor
    {4, 2, 1, 1, kYes, kYes},   // Tanh
    {1, 2, 1, 1, kYes, kYes},   // Sigmoid
    {0, 2, 0, 0, kNo, kNo},     // Silu
    {0, 2, 0, 0, kNo, kNo},     // Swish
    {3, 4, 3, 3, kYes, kYes},   // Gelu
    {3, 4, 3, 3, kYes, kYes},   // GeluPrecise
    {3, 4, 3, 3, kYes, kYes},   // FasterGelu
    {3, 4, 3, 3, kYes, kYes},   // FasterGeluPrecise
    {3, 4, 3, 3, kYes, kYes},   // FasterGeluV2
    {3, 4, 3, 3, kYes, kYes},   // FasterGeluV2Precise
    {6, 2, 0, 0, kYes, kNo},    // SwiGlu
    {4, 2, 0, 0, kYes, kNo},    // GeGlu
    {6, 2, 0, 0, kYes, kNo},    // ReGlu
    {8, 2, 3, 2, kYes, kYes},   // Sin
    {8, 2, 3, 2, kYes, kYes},   // Cos
    {10, 2, 4, 4, kYes, kYes},  // Tan
    {6, 2, 2, 2, kNo, kNo},     // Asin
    {6, 2, 2, 2, kNo, kNo},     // Acos
    {12, 2, 5, 5, kYes, kYes},  // Atan
    {4, 2, 1, 1, kYes, kYes},   // Sinh
    {6, 2, 2, 2, kYes, kYes},   // Cosh
    {3, 2, 3, 3, kYes, kYes},   // Asinh
    {2, 2, 1, 1, kYes, kYes},   // Acosh
    {4, 2, 1, 1, kYes, kYes},   // Atanh
    {8, 2, 3, 3, kYes, kYes},   // Erf
    {16, 2, 7, 7, kYes, kYes},  // Erfc
    {26, 2, 8, 7, kYes, kYes},  // Lgamma
    {16, 2, 7, 6, kYes, kNo},   // Digamma
    {3, 2, 3, 3, kNo, kNo},     // Sign
    {1, 2, 0, 0, kYes, kYes},   // Round
    {2, 2, 0, 0, kYes, kYes},   // Floor
    {2, 2, 1, 1, kYes, kYes},   // Ceil
    {2, 2, 1, 1, kYes, kYes},   // Trunc
    {4, 2, 0, 0, kYes, kNo},    // Frac
    {8, 2, 1, 1, kYes, kNo},    // Fmod
    {0, 2, 0, 0, kYes, kYes},   // ClampMax
    {0, 2, 0, 0, kYes, kYes},   // ClampMin
    {4, 2, 0, 0, kYes, kYes},   // Axpy
    {0, 2, 0, 0, kYes, kNo},    // Power
};

uint64_t RoundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

TmpSize Buffers(uint64_t buffers, uint64_t bytes) {
    return {buffers * std::max(bytes, kLeast), buffers * kLeast};
}

}  // namespace

const ElementaryRule& RuleOf(ElementaryOp op) { return kRules[static_cast<size_t>(op)]; }

TmpSize ElementaryTmp(ElementaryOp op, uint32_t typeSize, uint64_t elements, bool reuseSource) {
    const ElementaryRule& rule = RuleOf(op);
    if (typeSize == sizeof(float)) {
        return Buffers(reuseSource ? rule.reuseBuffers : rule.floatBuffers,
                       elements * sizeof(float));
    }
    return Buffers(rule.halfBuffers, elements * rule.halfUnit);
}

uint32_t ElementaryFactor(ElementaryOp op, uint32_t typeSize) {
    const ElementaryRule& rule = RuleOf(op);
    return typeSize == sizeof(float) ? rule.floatBuffers : rule.halfBuffers * rule.halfUnit / 2U;
}

TmpSize ClampTmp(uint32_t typeSize, uint64_t elements) {
    const uint64_t perRepeat = kRepeatBytes / typeSize;  // bytes: one for each element of a repeat
    return {std::max(elements, perRepeat), perRepeat};
}

TmpSize XorTmp(uint32_t typeSize, uint64_t elements) { return Buffers(1, elements * typeSize); }

uint32_t PowerFactor(bool bothTensors, bool integer, uint32_t typeSize) {
    const uint32_t extra = bothTensors ? 0 : 1;
    if (integer) {
        return 6 + extra;
    }
    return typeSize == sizeof(float) ? 4 + extra : 14;
}

TmpSize PowerTmp(bool bothTensors, bool integer, uint32_t typeSize, uint64_t elements) {
    const uint64_t factor = PowerFactor(bothTensors, integer, typeSize);
    const uint64_t constants = integer ? 0 : kRepeatBytes;
    const uint64_t least = typeSize == sizeof(float) ? kLeast : kLeast / 2;
    return {factor * std::max(elements * typeSize, least) + constants, factor * least + constants};
}

TmpSize DequantTmp(uint64_t rows, uint64_t columns) {
    // Number of floats in addition to the data: the scale, one block and one repeat.
    const uint64_t others = columns + 8 + kRepeatBytes / sizeof(float);
    return {(rows * columns + others) * sizeof(float), (columns + others) * sizeof(float)};
}

TmpSize QuantTmp(uint64_t elements) {
    return {RoundUp(std::max(elements * 2, 2 * kLeast), kBlockBytes), 2 * kLeast};
}

TmpSize AntiQuantTmp(uint64_t rows, uint64_t elements, uint64_t scales, bool transposed) {
    if (scales == 1) {
        return {elements * sizeof(float), 1024};
    }
    const uint64_t floats = transposed ? (8 + 8 + 64) * scales : 2 * scales + 64 * rows;
    return {floats * sizeof(float), floats * sizeof(float)};
}

TmpSize CumSumTmp(uint32_t typeSize, uint64_t outer, uint64_t inner, bool lastAxis) {
    const bool half = typeSize == sizeof(uint16_t);
    if (!lastAxis) {
        const uint64_t bytes = half ? outer * inner * sizeof(float) : 0;
        return {bytes, bytes};
    }
    // The buffer has two transposed copies of 16 rows. For half, the second copy has floats.
    const uint64_t perRow = inner * typeSize * (half ? 3 : 2);
    return {RoundUp(outer, 16) * perRow, 16 * perRow};
}

TmpSize PadTmp(uint64_t rows, uint64_t columns) {
    return {RoundUp(rows * columns, 16) * kBlockBytes * 2, 16 * kBlockBytes * 2};
}

TmpSize DropOutTmp(uint64_t elements) {
    return {std::max(2 * elements * sizeof(float), 2 * kLeast), 2 * kLeast};
}

uint64_t BroadcastCasts(uint32_t typeSize, uint64_t srcElements, uint64_t dstElements) {
    return typeSize == 1 ? (RoundUp(srcElements, 16) + RoundUp(dstElements, 16)) * 2 : 0;
}

TmpSize BroadcastTmp(uint32_t typeSize, uint64_t srcElements, uint64_t rows, uint64_t columns) {
    const uint64_t casts = BroadcastCasts(typeSize, srcElements, rows * columns);
    const uint64_t size = typeSize == 1 ? 2 : typeSize;
    if (srcElements == rows * columns || srcElements == 1) {
        return {casts, casts};
    }
    const uint64_t perBlock = kBlockBytes / size;
    const uint64_t rowBytes = RoundUp(columns, perBlock) * size;
    TmpSize need = {RoundUp(rows, 8) * kBlockBytes + casts, perBlock * kBlockBytes + casts};
    if (columns % perBlock != 0) {  // padded rows are copied, then trimmed
        need.max += rows * rowBytes;
        need.min += perBlock * rowBytes;
    }
    return need;
}

}  // namespace twin::advanced
