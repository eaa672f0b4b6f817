// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/types.h"

// The shapes and scratch sizes of reductions by pattern, for kernels and for the host's tiling.

namespace AscendC::Pattern::Reduce {

// Each letter is an axis: R is reduced, A stays.
struct AR {};
struct RA {};

}  // namespace AscendC::Pattern::Reduce

namespace twin::reduce {

/// How a reduction by pattern combines two elements. And and Or are bitwise, for uint8_t.
enum class PatternOp : uint8_t { Sum, Max, Min, Product, And, Or };

template <typename Pattern>
constexpr bool kIsReducePattern = std::is_same<Pattern, AscendC::Pattern::Reduce::AR>::value ||
                                  std::is_same<Pattern, AscendC::Pattern::Reduce::RA>::value;

/// Returns the largest power of two that is not above n; 1 for 0.
constexpr uint32_t LowerPower(uint32_t n) {
    uint32_t power = 1;
    for (; n > 1; n /= 2) {
        power *= 2;
    }
    return power;
}

/// Returns the number of sums of a row to which the library adds the row's other elements.
constexpr uint32_t SumWidth(uint32_t last) {
    const uint32_t power = LowerPower(last);
    return power == last ? power / 2 : power;
}

/// A matrix in UB whose rows begin at multiples of 32 B.
struct AxisShape {
    uint32_t first;
    uint32_t last;
    uint32_t pitch;

    AxisShape(const uint32_t shape[], uint32_t typeSize)
        : first(shape[0]),
          last(shape[1]),
          pitch((shape[1] * typeSize + kBlockBytes - 1) / kBlockBytes * kBlockBytes / typeSize) {}
};

/// Returns the scratch in bytes that a reduction needs.
inline uint32_t PatternScratch(const AxisShape& m, uint32_t typeSize, bool lastAxis, PatternOp op,
                               bool reuse) {
    if (lastAxis && (op == PatternOp::And || op == PatternOp::Or)) {
        return m.pitch * 2 + m.first * kBlockBytes;  // a row and the results, as half
    }
    if (reuse) {
        return lastAxis && op == PatternOp::Product ? kRepeatBytes : 0;
    }
    if (!lastAxis) {
        const uint32_t power = LowerPower(m.first);
        const uint32_t rows = power == m.first && power > 1 ? power / 2 : power;
        return rows * m.pitch * typeSize;
    }
    const uint32_t bytes = m.last * typeSize;
    if (op == PatternOp::Sum) {
        return bytes <= kRepeatBytes ? 0 : m.first * SumWidth(m.last) * typeSize;
    }
    if (op == PatternOp::Product) {
        const uint32_t row = SumWidth(m.last) * typeSize;
        return (row > kBlockBytes ? row : kBlockBytes) + m.first * kBlockBytes + kRepeatBytes;
    }
    if (bytes <= kBlockBytes) {
        return 0;
    }
    return m.first * (bytes < kRepeatBytes ? kBlockBytes : kRepeatBytes);
}

}  // namespace twin::reduce
