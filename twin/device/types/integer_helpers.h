// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small scalar helpers of the toolkit that kernels call, with its argument types: there, too, the
// arguments are cut to 32 bits.
#include <cstdint>
#include <type_traits>

#include "core/types.h"

namespace twin {

/// Cuts `value` to an 8-bit field: an error in strict mode if bits are lost.
TWIN_API uint8_t WrapTo8(int64_t value, Location where);

/// A parameter that the API declares as uint8_t. A kernel that passes 256 repeats means 256, but
/// the chip's compiler silently makes them 0; this type sees the value before it is cut.
class Narrow8 {
public:
    Narrow8(uint8_t value) : value_(value) {}
    template <typename T,
              typename = std::enable_if_t<std::is_arithmetic<T>::value || std::is_enum<T>::value>>
    Narrow8(T value, TWIN_HERE)
        : value_(static_cast<int64_t>(value) >= 0 && static_cast<int64_t>(value) <= UINT8_MAX
                     ? static_cast<uint8_t>(value)
                     : WrapTo8(static_cast<int64_t>(value), here)) {}

    operator uint8_t() const { return value_; }

private:
    uint8_t value_;
};

}  // namespace twin

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

// The device compiler has built-in min and max of two scalars of one type. If a kernel defines
// functions of the same names, those win: the trailing pack makes these the worse match.

template <typename T, typename... Nothing>
constexpr T min(T a, T b, Nothing...) {
    static_assert(sizeof...(Nothing) == 0, "min: two scalars");
    return b < a ? b : a;
}
template <typename T, typename... Nothing>
constexpr T max(T a, T b, Nothing...) {
    static_assert(sizeof...(Nothing) == 0, "max: two scalars");
    return a < b ? b : a;
}
