// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_GROUPS_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_GROUPS_H

#include "../common/integers.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "kernel_operator.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// Iterates over the experts and their rows of x. Whatever groupList contains, an expert's rows are
/// inside x and after the rows of the previous expert.
class Groups {
public:
    __aicore__ inline void Init(GM_ADDR groupList, const TilingData* tiling) {
        tiling_ = tiling;
        list_.SetGlobalBuffer((__gm__ int64_t*)groupList, tiling->experts);
    }

    __aicore__ inline void Restart() {
        next_ = 0;
        end_ = 0;
        last_ = 0;
    }

    /// Moves to the next expert with rows; returns false if there is none.
    __aicore__ inline bool Next() {
        begin_ = end_;
        while (end_ == begin_) {
            if (next_ == tiling_->experts || begin_ == tiling_->rows) {
                return false;
            }
            const int64_t value = list_.GetValue(next_++);
            // The difference of two int64_t values fits into uint64_t, but not into int64_t.
            const int64_t from = tiling_->cumulative != 0 ? last_ : 0;
            const uint64_t count =
                value > from ? static_cast<uint64_t>(value) - static_cast<uint64_t>(from) : 0;
            last_ = value;
            end_ += static_cast<int64_t>(Min(count, static_cast<uint64_t>(tiling_->rows - end_)));
        }
        return true;
    }

    __aicore__ inline uint32_t Expert() const { return next_ - 1; }
    __aicore__ inline int64_t Begin() const { return begin_; }
    __aicore__ inline int64_t End() const { return end_; }

private:
    const TilingData* tiling_ = nullptr;
    AscendC::GlobalTensor<int64_t> list_;
    int64_t begin_ = 0;  ///< first row of the expert; end_ is after its last row
    int64_t end_ = 0;
    int64_t last_ = 0;  ///< entry of groupList for the current expert
    uint32_t next_ = 0;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_GROUPS_H
