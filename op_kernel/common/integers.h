// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_COMMON_INTEGERS_H
#define OP_KERNEL_COMMON_INTEGERS_H

#include "kernel_operator.h"

namespace ops {

// The operands may have different types, as in any C++ expression. Sizes are mostly int64_t, and
// the result is int64_t if one operand is.

/// Returns a / b, rounded up; neither is negative.
template <typename A, typename B>
__aicore__ inline auto CeilDiv(A a, B b) -> decltype(a + b) {
    return (a + b - 1) / b;
}

/// Returns the smallest multiple of `unit` that is not below `value`.
template <typename A, typename B>
__aicore__ inline auto RoundUp(A value, B unit) -> decltype(value + unit) {
    return CeilDiv(value, unit) * unit;
}

template <typename A, typename B>
__aicore__ inline auto Min(A a, B b) -> decltype(a + b) {
    return a < b ? a : b;
}

template <typename A, typename B>
__aicore__ inline auto Max(A a, B b) -> decltype(a + b) {
    return a > b ? a : b;
}

}  // namespace ops

#endif  // OP_KERNEL_COMMON_INTEGERS_H
