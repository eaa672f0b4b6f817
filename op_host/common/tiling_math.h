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

/// Time from the start of a block to the start of the next block, in cycles.
constexpr int64_t kBlockStartCycles = 117;
/// If blocks have fewer pieces, all get the same number of pieces.
constexpr int64_t kLeastSkewedPieces = 8;

/// Returns the skew for SkewedShareOfBlock in op_kernel/common/shares.h: the time between the
/// starts of two blocks, in 1 / 1024 of the time of a piece. Returns 0 if blocks have few pieces,
/// or if the last block would have none.
inline int64_t SkewOfBlocks(int64_t total, int64_t blocks, int64_t pieceCycles) {
    const int64_t skew = 1024 * kBlockStartCycles / pieceCycles;
    const bool many =
        total / blocks >= kLeastSkewedPieces && skew * blocks / 2 < total / blocks * 1024;
    return many ? skew : 0;
}

}  // namespace optiling

#endif  // OP_HOST_COMMON_TILING_MATH_H
