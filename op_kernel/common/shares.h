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
/// the larger ones first. op_host/common/tiling_math.h has the same rule for tilings.
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

}  // namespace ops

#endif  // OP_KERNEL_COMMON_SHARES_H
