// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_COMMON_SHARES_H
#define OP_KERNEL_COMMON_SHARES_H

#include "integers.h"
#include "kernel_operator.h"

namespace ops {

struct Range {
    int64_t begin;
    int64_t end;

    __aicore__ inline int64_t Size() const { return end - begin; }
};

/// Splits `total` pieces of work into `parts` contiguous shares that differ by at most one piece,
/// the larger ones first. FirstOfShare in op_host/common/tiling_math.h has the same rule.
class Shares {
public:
    __aicore__ inline Shares() {}
    __aicore__ inline Shares(int64_t total, int64_t parts)
        : least_(total / parts), larger_(total % parts) {}

    __aicore__ inline Range Of(int64_t part) const { return {FirstOf(part), FirstOf(part + 1)}; }

    /// Returns the number of the share that contains the piece.
    __aicore__ inline int64_t PartOf(int64_t piece) const {
        const int64_t inLarger = larger_ * (least_ + 1);
        return piece < inLarger ? piece / (least_ + 1) : larger_ + (piece - inLarger) / least_;
    }

private:
    __aicore__ inline int64_t FirstOf(int64_t part) const {
        return part * least_ + Min(part, larger_);
    }

    int64_t least_ = 0;
    int64_t larger_ = 0;  ///< number of shares that have one piece more
};

/// Returns this block's share of `total` pieces.
__aicore__ inline Range ShareOfBlock(int64_t total) {
    return Shares(total, AscendC::GetBlockNum()).Of(AscendC::GetBlockIdx());
}

/// Splits `total` pieces of work among blocks that start one after the other, each one later by
/// skew / kSkewUnit of the time of a piece. Earlier blocks get more pieces, so that all blocks end
/// at about the same time.
class SkewedShares {
public:
    static constexpr int64_t kSkewUnit = 1024;

    __aicore__ inline SkewedShares(int64_t total, int64_t parts, int64_t skew)
        : parts_(parts), perPart_(total * 2 * kSkewUnit / parts), total_(total), skew_(skew) {}

    __aicore__ inline Range Of(int64_t part) const { return {FirstOf(part), FirstOf(part + 1)}; }

private:
    /// Share `part` has a mean number of pieces, and skew * (parts - 1 - 2 * part) / 2 more.
    __aicore__ inline int64_t FirstOf(int64_t part) const {
        return part == parts_
                   ? total_
                   : (part * perPart_ + skew_ * part * (parts_ - part)) / (2 * kSkewUnit);
    }

    int64_t parts_;
    int64_t perPart_;  ///< mean share, in 1 / (2 * kSkewUnit) pieces
    int64_t total_;
    int64_t skew_;
};

/// Returns this block's share of `total` pieces (SkewedShares); all shares are equal if skew is 0.
__aicore__ inline Range SkewedShareOfBlock(int64_t total, int64_t skew) {
    return skew == 0 ? ShareOfBlock(total)
                     : SkewedShares(total, AscendC::GetBlockNum(), skew).Of(AscendC::GetBlockIdx());
}

}  // namespace ops

#endif  // OP_KERNEL_COMMON_SHARES_H
