// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_PART_SUMS_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_PART_SUMS_H

#include "../grouped_matmul_finalize_routing_tiling.h"
#include "kernel_operator.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// The sums of parts of k that another block adds up, and the notices which tell that they are in
/// GM. Each vector core has a notice, and tells the core that computes the same share of the tile.
/// OutputInit writes the initial zeros of all notices: nobody may use one before all vector cores
/// have ended that phase. The notices are small groups of cores that meet once. They use the last
/// bytes of UB, and switch atomic copies off.
class PartSums {
public:
    __aicore__ inline void Init(GM_ADDR slots, GM_ADDR notices) {
        slots_.SetGlobalBuffer((__gm__ int32_t*)slots, AscendC::GetBlockNum() * kBlockElems);
        notices_ = notices;
    }

    /// Tells that the sums of this block's part are in GM.
    __aicore__ inline void Report() const { Meeting(AscendC::GetBlockIdx()).Arrive(0); }

    /// Waits until the sums of the part of `block` are in GM, and returns their slot.
    __aicore__ inline AscendC::GlobalTensor<int32_t> Await(uint32_t block) {
        Meeting(block * AscendC::GetTaskRation() + AscendC::GetSubBlockIdx()).Wait(0);
        return slots_[block * kBlockElems + kPartSlot * (kSlotBytes / sizeof(int32_t))];
    }

private:
    using Group = AscendC::GroupBarrier<AscendC::PipeMode::MTE3_MODE>;
    static constexpr int64_t kBlockElems = int64_t{kBlockSlots} * kSlotBytes / sizeof(int32_t);

    /// Returns the meeting of vector core `core` with the one that waits for its notice.
    __aicore__ inline Group Meeting(int64_t core) const {
        return Group(notices_ + core * kNoticeBytes, 1, 1);
    }

    AscendC::GlobalTensor<int32_t> slots_;  ///< of all blocks
    GM_ADDR notices_ = nullptr;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_PART_SUMS_H
