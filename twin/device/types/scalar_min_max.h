// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TYPES_SCALAR_MIN_MAX_H
#define TWIN_DEVICE_TYPES_SCALAR_MIN_MAX_H

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

#endif  // TWIN_DEVICE_TYPES_SCALAR_MIN_MAX_H
