// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_SPLIT_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_SPLIT_H

#include "../common/shares.h"
#include "../nsa_compress_grad_tiling.h"
#include "kernel_operator.h"

namespace ops::NsaCompressGradOp {

/// Decides which vector core processes which pieces of work (see NsaCompressGradBaseTilingData).
class Split {
public:
    __aicore__ inline void Init(const NsaCompressGradBaseTilingData& tiling) {
        unitsPerGroup_ = tiling.unitsPerGroup;
        const int64_t groups = CeilDiv(tiling.heads, tiling.headsPerGroup);
        shares_ = Shares(unitsPerGroup_ * groups, tiling.vectorBlocks);
    }

    __aicore__ inline Range UnitsOfBlock() const { return shares_.Of(AscendC::GetBlockIdx()); }
    __aicore__ inline int64_t UnitsPerGroup() const { return unitsPerGroup_; }

    /// Returns the first slot of a group's partial sums; EndSlot() returns the end of the slots.
    __aicore__ inline int64_t FirstSlot(int64_t group) const {
        return shares_.PartOf(group * unitsPerGroup_) + group;
    }
    __aicore__ inline int64_t EndSlot(int64_t group) const {
        return shares_.PartOf((group + 1) * unitsPerGroup_ - 1) + group + 1;
    }

private:
    int64_t unitsPerGroup_;
    Shares shares_;
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_SPLIT_H
