// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PAD_PARTITION_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PAD_PARTITION_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../common/strided_writer.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "expert_counter.h"
#include "expert_runs.h"
#include "kernel_operator.h"
#include "pointers.h"
#include "unrouted_tokens.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Partitions the tokens of every expert in stable order: first the routed ones, then all others;
/// keeps only the first `slots` tokens. Writes their numbers and probs, expert by expert. A unit of
/// work is 32 experts times a range of tokens.
template <typename T>
class PadPartition {
public:
    /// Token numbers are written to `order`.
    __aicore__ inline void Init(const Pointers& gm, GM_ADDR order, const TilingData* tiling,
                                AscendC::TPipe* pipe) {
        tiling_ = tiling;
        countsGm_.SetGlobalBuffer((__gm__ float*)gm.workspace, tiling->parts * tiling->countPitch);
        writer_.Init(kStageElems, kStageBuffers, pipe);
        runs_.InitPositions(tiling, pipe);
        runs_.Init(gm.map, gm.probs, gm.permuteProbs, tiling, {0, 0}, pipe, &writer_);
        runs_.ListNumbers(order, pipe);
        unrouted_.Init(gm.map, gm.probs, gm.permuteProbs, order, tiling, pipe, &writer_);
        pipe->InitBuffer(before_, 2 * kGroup * sizeof(float));
        if (tiling->readsWholeMap != 0) {
            counter_.Init(gm.map, tiling, kGroup, pipe);
        } else {
            pipe->InitBuffer(counts_, 1, tiling->parts * kGroup * sizeof(float));
        }
    }

    /// Processes one unit of work: these experts, and the tokens of range `part`.
    __aicore__ inline void Process(int64_t part, const Range& tokens, const Range& experts) {
        const AscendC::LocalTensor<float> before = before_.Get<float>();
        const AscendC::LocalTensor<float> rest = before[kGroup];
        if (tiling_->readsWholeMap != 0) {
            counter_.Sum(before, {0, tokens.begin}, experts);
            counter_.Sum(rest, {tokens.begin, tiling_->tokens}, experts);
        } else {
            AddCounters(static_cast<uint32_t>(part), experts.begin, before, rest);
        }
        // The unrouted tokens of a range follow all routed tokens and those of earlier ranges.
        Sync<AscendC::HardEvent::V_S>();
        const uint32_t count = static_cast<uint32_t>(experts.Size());
        const int32_t begin = static_cast<int32_t>(tokens.begin);
        for (uint32_t expert = 0; expert < count; ++expert) {
            slots_[expert] = begin + static_cast<int32_t>(rest.GetValue(expert));
        }
        AscendC::ICachePreLoad(kPreloadUnits);
        runs_.ProcessUnit(tokens, experts, before);
        unrouted_.Process(tokens, experts, slots_);
    }

private:
    /// Sets `before` to the counters of earlier ranges, and `rest` to those of all others.
    __aicore__ inline void AddCounters(uint32_t part, int64_t col,
                                       const AscendC::LocalTensor<float>& before,
                                       const AscendC::LocalTensor<float>& rest) {
        const int32_t cols = static_cast<int32_t>(kGroup);
        AscendC::LocalTensor<float> counts = counts_.AllocTensor<float>();
        LoadRows(counts, countsGm_[col], Rows(tiling_->parts, kGroup, tiling_->countPitch));
        counts_.EnQue(counts);
        counts = counts_.DeQue<float>();
        const AscendC::LocalTensor<float> later = counts[part * kGroup];
        FoldRows(counts, part, kGroup);
        FoldRows(later, tiling_->parts - part, kGroup);
        AscendC::Adds(rest, later, 0.0f, cols);
        if (part > 0) {
            AscendC::Adds(before, counts, 0.0f, cols);
        } else {
            AscendC::Duplicate(before, 0.0f, cols);
        }
        counts_.FreeTensor(counts);
    }

    const TilingData* tiling_;
    int32_t slots_[kGroup];  ///< by expert: slot of the first token that is not routed
    StridedWriter writer_;
    ExpertCounter counter_;
    ExpertRuns<T> runs_;
    UnroutedTokens<T> unrouted_;
    AscendC::GlobalTensor<float> countsGm_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> before_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> counts_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PAD_PARTITION_H
