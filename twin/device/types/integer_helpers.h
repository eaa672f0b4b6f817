// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TYPES_INTEGER_HELPERS_H
#define TWIN_DEVICE_TYPES_INTEGER_HELPERS_H

// Small scalar helpers of the toolkit that kernels call, with its argument types: there, too, the
// arguments are cut to 32 bits.
#include <cstdint>

#ifndef likely
#define likely(condition) __builtin_expect(!!(condition), 1)
#endif
#ifndef unlikely
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#endif

/// Arguments of ShapeInfo: the number of dimensions, and the dimensions.
#define ASCENDC_SHAPE(dimensions, ...) \
    dimensions, (const uint32_t[]) { __VA_ARGS__ }

namespace AscendC {

/// a / b, rounded up; b must not be 0.
constexpr uint32_t ConstCeil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return ConstCeil(a, b); }
constexpr uint32_t Ceil(uint32_t a, uint32_t b) { return ConstCeil(a, b); }
/// The multiple of b at or above a.
constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return ConstCeil(a, b) * b; }
/// num1 / num2, rounded up for numbers above 0; 0 if num2 is 0.
constexpr int32_t CeilDivision(int32_t num1, int32_t num2) {
    return num2 == 0 ? 0 : (num1 + num2 - 1) / num2;
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_TYPES_INTEGER_HELPERS_H
