// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_INDEX_WINDOW_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_INDEX_WINDOW_H

#include "../common/copy.h"
#include "../common/sync.h"
#include "kernel_operator.h"

namespace ops::MoeInitRoutingV2GradOp {

/// Keeps a part of the index array in UB for the scalar unit. One transfer serves hundreds of rows,
/// while a scalar read of GM would wait for memory at every new cache line.
class IndexWindow {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR indices, int64_t count,
                                uint32_t elems) {
        gm_.SetGlobalBuffer((__gm__ int32_t*)indices, count);
        elems_ = elems;
        pipe->InitBuffer(buffer_, elems * sizeof(int32_t));
        local_ = buffer_.Get<int32_t>();
    }

    /// Ensures that the indices [begin, end) are in UB; the buffer must have room for them. A load
    /// also loads later indices up to `limit`, as far as the buffer has room.
    __aicore__ inline void Require(int64_t begin, int64_t end, int64_t limit) {
        if (begin >= begin_ && end <= end_) {
            return;
        }
        begin_ = begin;
        end_ = Min(limit, begin + elems_);
        Load(local_, gm_[begin_], static_cast<uint32_t>(end_ - begin_));
        Sync<AscendC::HardEvent::MTE2_S>();
    }

    __aicore__ inline int64_t At(int64_t position) const {
        return local_.GetValue(static_cast<uint32_t>(position - begin_));
    }

private:
    AscendC::GlobalTensor<int32_t> gm_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
    AscendC::LocalTensor<int32_t> local_;
    uint32_t elems_ = 0;
    int64_t begin_ = 0;
    int64_t end_ = 0;
};

}  // namespace ops::MoeInitRoutingV2GradOp

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_INDEX_WINDOW_H
