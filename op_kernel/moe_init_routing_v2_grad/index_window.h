// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_INDEX_WINDOW_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_INDEX_WINDOW_H

#include "../common/copy.h"
#include "../common/sync.h"
#include "kernel_operator.h"

namespace ops::MoeInitRoutingV2GradOp {

/// Two indices. A negative index becomes a large number, so it is outside of [0, R), too.
struct IndexPair {
    uint32_t first;
    uint32_t second;
};

/// The indices that are in UB.
struct Indices {
    AscendC::LocalTensor<int32_t> values;
    AscendC::LocalTensor<uint64_t> pairs;  ///< the same indices, two in each element

    __aicore__ inline uint32_t At(uint32_t place) const {
        return static_cast<uint32_t>(values.GetValue(place));
    }
    /// Returns the indices at an even place and after it. The scalar unit needs about as long to
    /// read both as to read one.
    __aicore__ inline IndexPair PairAt(uint32_t place) const {
        const uint64_t both = pairs.GetValue(place / 2);
        return {static_cast<uint32_t>(both), static_cast<uint32_t>(both >> 32)};
    }
    /// Returns the indices at any place and after it.
    __aicore__ inline IndexPair TwoAt(uint32_t place) const { return {At(place), At(place + 1)}; }
};

/// Keeps a part of the index array in UB for the scalar unit. One transfer serves hundreds of rows,
/// while a scalar read of GM would wait for memory at every new cache line.
class IndexWindow {
public:
    __aicore__ inline void Init(GM_ADDR indices, int64_t count,
                                const AscendC::LocalTensor<int32_t>& buffer, uint32_t elems) {
        gm_.SetGlobalBuffer((__gm__ int32_t*)indices, count);
        elems_ = elems;
        local_ = {buffer, buffer.ReinterpretCast<uint64_t>()};
    }

    /// Ensures that the indices [begin, end) are in UB, and returns the place of the first one; the
    /// buffer must have room for them. A load also loads later indices up to `limit`, as far as the
    /// buffer has room.
    __aicore__ inline uint32_t Require(int64_t begin, int64_t end, int64_t limit) {
        if (begin < begin_ || end > end_) {
            begin_ = begin;
            end_ = Min(limit, begin + elems_);
            Load(local_.values, gm_[begin_], static_cast<uint32_t>(end_ - begin_));
            Sync<AscendC::HardEvent::MTE2_S>();
        }
        return static_cast<uint32_t>(begin - begin_);
    }

    __aicore__ inline const Indices& Local() const { return local_; }

private:
    AscendC::GlobalTensor<int32_t> gm_;
    Indices local_;
    uint32_t elems_ = 0;
    int64_t begin_ = 0;
    int64_t end_ = 0;
};

}  // namespace ops::MoeInitRoutingV2GradOp

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_INDEX_WINDOW_H
