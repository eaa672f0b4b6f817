// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_COMMON_TILING_MATH_H
#define OP_HOST_COMMON_TILING_MATH_H

#include <cstdint>

namespace optiling {

/// Returns `a` / `b`, rounded up; neither is negative.
inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Returns the smallest multiple of `unit` that is not below `value`.
inline int64_t RoundUp(int64_t value, int64_t unit) { return CeilDiv(value, unit) * unit; }

/// Splits `total` pieces of work into `parts` shares and returns the first piece of share `part`.
/// Shares differ by at most one piece, and the larger ones come first. Kernels split in the same
/// way (op_kernel/common/shares.h).
inline int64_t FirstOfShare(int64_t total, int64_t parts, int64_t part) {
    return part * (total / parts) + (part < total % parts ? part : total % parts);
}

}  // namespace optiling

#endif  // OP_HOST_COMMON_TILING_MATH_H
