// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNPACKED_STREAM_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNPACKED_STREAM_H

#include "../grouped_matmul_finalize_routing_tiling.h"
#include "flags.h"
#include "kernel_operator.h"
#include "l1_ring.h"
#include "units.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

using UnpackedRing = L1Ring<kUnpackBuffers, 0, kUnpackBufferBytes>;

/// Loads the unpacked weights of a block's units in order, as far ahead as L1 has room. It waits
/// until the vector cores have unpacked a chunk, and reports when the unit is in L1.
class UnpackedStream {
public:
    __aicore__ inline void Init(GM_ADDR unpacked, const Units& units, const TilingData* tiling,
                                UnpackedRing* ring) {
        pitch_ = tiling->many.cols;
        chunkK_ = UnpackChunkK(pitch_);
        ring_ = ring;
        const int64_t block = AscendC::GetBlockIdx() / AscendC::GetTaskRation();
        unpacked_.SetGlobalBuffer(
            (__gm__ int8_t*)unpacked + block * kUnpackSlots * kUnpackSlotBytes,
            kUnpackSlots * kUnpackSlotBytes);
        units_ = units;
        more_ = units_.Next(unit_);
    }

    /// Loads the weights of unit `current` up to row `k`. With `next`, it also loads weights of the
    /// next unit, while L1 has room. It loads nothing that is not needed soon, because it would
    /// wait for the vector cores, and these may wait for tiles that the cube core has not computed
    /// yet.
    __aicore__ inline void Fill(uint32_t current, uint32_t k, bool next) {
        while (more_ && ring_->HasRoom() &&
               ((count_ == current && k_ <= k) || (next && count_ == current + 1))) {
            AscendC::CrossCoreWaitFlag(kFlagWeights);
            const uint32_t all = unit_.kEnd - unit_.kBegin;
            const uint32_t rows = Min(all - k_, chunkK_);
            Load(ring_->BeginFill(), rows);
            ring_->EndFill();
            k_ += rows;
            if (k_ == all) {
                AscendC::CrossCoreSetFlag<2, PIPE_MTE2>(kFlagUnpacked);
                k_ = 0;
                ++count_;
                more_ = units_.Next(unit_);
            }
        }
    }

private:
    __aicore__ inline void Load(const AscendC::LocalTensor<int8_t>& to, uint32_t rows) {
        AscendC::Nd2NzParams params;
        params.ndNum = 1;
        params.nValue = static_cast<uint16_t>(rows);
        params.dValue = static_cast<uint16_t>(unit_.cols);
        params.srcNdMatrixStride = 0;
        params.srcDValue = static_cast<uint16_t>(pitch_);
        params.dstNzC0Stride = static_cast<uint16_t>(rows);
        params.dstNzNStride = 1;
        params.dstNzMatrixStride = 0;
        AscendC::DataCopy(to, unpacked_[count_ % kUnpackSlots * kUnpackSlotBytes + k_ * pitch_],
                          params);
    }

    UnpackedRing* ring_ = nullptr;
    AscendC::GlobalTensor<int8_t> unpacked_;
    Units units_;
    Unit unit_;
    uint32_t pitch_ = 0;   ///< bytes from row to row of unpacked weights
    uint32_t chunkK_ = 0;  ///< rows of unpacked weights in a buffer of L1
    uint32_t k_ = 0;
    uint32_t count_ = 0;  ///< number of units that are in L1
    bool more_ = false;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNPACKED_STREAM_H
