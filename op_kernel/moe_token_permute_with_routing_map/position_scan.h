// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_POSITION_SCAN_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_POSITION_SCAN_H

#include "../common/copy.h"
#include "../common/sync.h"
#include "../common/ub_slices.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "expert_counter.h"
#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Computes the first output position of every expert for one range of tokens: the sum over all
/// earlier experts, plus the expert's tokens in earlier ranges. Every block computes its own
/// positions. So the blocks exchange only counters, or nothing if each block reads the whole map.
class PositionScan {
public:
    __aicore__ inline void Init(const TilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        pitch_ = static_cast<uint32_t>(tiling->countPitch);
        slices_.Init(pitch_ * (4 * sizeof(float) + sizeof(int32_t)), pipe);
        totals_ = slices_.Take<float>(2 * pitch_);
        shifted_ = slices_.Take<float>(pitch_);
        before_ = slices_.Take<float>(pitch_);
        offsets_ = slices_.Take<int32_t>(pitch_);
        AscendC::CreateVecIndex(offsets_, 0, pitch_);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(offsets_, offsets_, static_cast<int32_t>(sizeof(float)),
                      static_cast<int32_t>(pitch_));
        AscendC::Duplicate(totals_, 0.0f, static_cast<int32_t>(pitch_));
        if (tiling->scanChunk != 0) {
            pipe->InitBuffer(in_, 1, tiling->parts * tiling->scanChunk * sizeof(float));
        }
    }

    /// Counts all tokens of the map. The range begins at token `begin`. Call Finish() then.
    __aicore__ inline void ReadMap(GM_ADDR map, int64_t begin, AscendC::TPipe* pipe) {
        ExpertCounter counter;
        counter.Init(map, tiling_, pitch_, pipe);
        const AscendC::LocalTensor<float> before = before_;
        counter.Sum(before, {0, begin}, {0, tiling_->experts});
        counter.Sum(Totals(), {begin, tiling_->tokens}, {0, tiling_->experts});
        AscendC::Add(Totals(), Totals(), before, static_cast<int32_t>(pitch_));
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// Adds up the counters of all ranges. The range has number `part`. Call Finish() then.
    __aicore__ inline void ReadCounters(GM_ADDR workspace, int64_t part) {
        countsGm_.SetGlobalBuffer((__gm__ float*)workspace, tiling_->parts * pitch_);
        const uint32_t most = tiling_->scanChunk;
        for (uint32_t col = 0; col < pitch_; col += most) {
            AddCounters(static_cast<uint32_t>(part), col, Min(most, pitch_ - col));
        }
    }

    /// Computes the positions: sums the totals over the experts. Each step adds the totals that lie
    /// `shift` experts before, so few steps are enough. Zeros lie before the first total.
    __aicore__ inline void Finish() {
        const int32_t count = static_cast<int32_t>(pitch_);
        const AscendC::LocalTensor<float> shifted = shifted_;
        for (uint32_t shift = 1; shift < pitch_; shift *= 2) {
            Shift(shift);
            AscendC::Add(Totals(), Totals(), shifted, count);
            AscendC::PipeBarrier<PIPE_V>();
        }
        Shift(1);
        AscendC::Add(before_, before_, shifted, count);
        Sync<AscendC::HardEvent::V_S>();
        total_ = Totals().GetValue(pitch_ - 1);
    }

    /// Returns the positions. V may read them.
    __aicore__ inline AscendC::LocalTensor<float> Positions() { return before_; }
    /// Returns the number of pairs of a token and an expert that the map routes.
    __aicore__ inline float Total() const { return total_; }

private:
    /// Returns the totals of the experts. An equal number of zeros lies before them.
    __aicore__ inline AscendC::LocalTensor<float> Totals() { return totals_[pitch_]; }

    __aicore__ inline void AddCounters(uint32_t part, uint32_t col, uint32_t cols) {
        AscendC::LocalTensor<float> counts = in_.AllocTensor<float>();
        LoadRows(counts, countsGm_[col], Rows(tiling_->parts, cols, pitch_));
        in_.EnQue(counts);
        counts = in_.DeQue<float>();
        const int32_t count = static_cast<int32_t>(cols);
        const AscendC::LocalTensor<float> before = before_[col];
        const AscendC::LocalTensor<float> rest = counts[part * cols];
        FoldRows(counts, part, cols);
        FoldRows(rest, tiling_->parts - part, cols);
        if (part > 0) {
            AscendC::Adds(before, counts, 0.0f, count);
        } else {
            AscendC::Duplicate(before, 0.0f, count);
        }
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(Totals()[col], before, rest, count);
        AscendC::PipeBarrier<PIPE_V>();
        in_.FreeTensor(counts);
    }

    __aicore__ inline void Shift(uint32_t shift) {
        AscendC::Gather(shifted_, totals_, offsets_.ReinterpretCast<uint32_t>(),
                        static_cast<uint32_t>((pitch_ - shift) * sizeof(float)), pitch_);
        AscendC::PipeBarrier<PIPE_V>();
    }

    const TilingData* tiling_;
    uint32_t pitch_;
    float total_;
    AscendC::GlobalTensor<float> countsGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
    UbSlices slices_;
    AscendC::LocalTensor<float> totals_;
    AscendC::LocalTensor<float> shifted_;
    AscendC::LocalTensor<int32_t> offsets_;
    AscendC::LocalTensor<float> before_;  ///< at the end the positions
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_POSITION_SCAN_H
