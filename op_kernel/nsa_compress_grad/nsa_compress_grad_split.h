// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_SPLIT_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_SPLIT_H

#include "../nsa_compress_grad_tiling.h"
#include "kernel_operator.h"

namespace NsaCompressGradOp {

__aicore__ inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

__aicore__ inline int64_t Min(int64_t a, int64_t b) { return a < b ? a : b; }

__aicore__ inline int64_t Max(int64_t a, int64_t b) { return a > b ? a : b; }

/// Which block does which units; see NsaCompressGradTilingData.
class Split {
public:
    __aicore__ inline void Init(const NsaCompressGradTilingData& tiling) {
        unitsPerGroup_ = CeilDiv(tiling.rows, NSA_COMPRESS_GRAD_UNIT_ROWS);
        const int64_t units = unitsPerGroup_ * CeilDiv(tiling.heads, tiling.headsPerGroup);
        share_ = units / AscendC::GetBlockNum();
        extra_ = units % AscendC::GetBlockNum();
    }

    __aicore__ inline int64_t FirstUnit(int64_t block) const {
        return block * share_ + Min(block, extra_);
    }
    __aicore__ inline int64_t UnitsPerGroup() const { return unitsPerGroup_; }

    /// Slots of the partial sums of a group, [first, end).
    __aicore__ inline int64_t FirstSlot(int64_t group) const {
        return BlockOf(group * unitsPerGroup_) + group;
    }
    __aicore__ inline int64_t EndSlot(int64_t group) const {
        return BlockOf((group + 1) * unitsPerGroup_ - 1) + group + 1;
    }

private:
    __aicore__ inline int64_t BlockOf(int64_t unit) const {
        const int64_t inLarge = extra_ * (share_ + 1);
        return unit < inLarge ? unit / (share_ + 1) : extra_ + (unit - inLarge) / share_;
    }

    int64_t unitsPerGroup_;
    int64_t share_;
    int64_t extra_;
};

}  // namespace NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_SPLIT_H
