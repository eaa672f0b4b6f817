// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_L1_RING_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_L1_RING_H

#include "../grouped_matmul_finalize_routing_tiling.h"
#include "kernel_operator.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// A ring of L1 buffers that MTE2 fills, and that MTE1 reads and frees, in turn. A fill waits only
/// for a buffer that an earlier call has freed, so the pipes never wait for each other in a circle.
template <uint32_t kBuffers, int32_t kFirstEvent, uint32_t kBytes = kL1BufferBytes>
class L1Ring {
public:
    __aicore__ inline void Init(const AscendC::LocalTensor<int8_t>& memory) {
        memory_ = memory;
        for (uint32_t i = 0; i < kBuffers; ++i) {
            AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(Event(i));
        }
    }

    __aicore__ inline bool HasRoom() const { return filled_ - freed_ < kBuffers; }

    __aicore__ inline AscendC::LocalTensor<int8_t> BeginFill() {
        AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(Event(filled_));
        return Buffer(filled_);
    }

    __aicore__ inline void EndFill() {
        AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE1>(Event(filled_));
        ++filled_;
    }

    /// Returns the buffer that was filled `ahead` buffers after the oldest one. `fresh` must be
    /// true when the buffer is read for the first time.
    __aicore__ inline AscendC::LocalTensor<int8_t> Read(uint32_t ahead, bool fresh) {
        if (fresh) {
            AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(Event(freed_ + ahead));
        }
        return Buffer(freed_ + ahead);
    }

    /// Frees the oldest buffer.
    __aicore__ inline void Free() {
        AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(Event(freed_));
        ++freed_;
    }

    /// Waits for all flags. Call this after all buffers are freed.
    __aicore__ inline void Finish() {
        for (uint32_t i = 0; i < kBuffers; ++i) {
            AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(Event(i));
        }
    }

private:
    __aicore__ inline static int32_t Event(uint32_t index) {
        return kFirstEvent + static_cast<int32_t>(index % kBuffers);
    }
    __aicore__ inline AscendC::LocalTensor<int8_t> Buffer(uint32_t index) {
        return memory_[index % kBuffers * kBytes];
    }

    AscendC::LocalTensor<int8_t> memory_;
    uint32_t filled_ = 0;
    uint32_t freed_ = 0;
};

using WeightRing = L1Ring<kWeightBuffers, 0>;
using DigitRing = L1Ring<kDigitBuffers, kWeightBuffers>;

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_L1_RING_H
