// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KERNEL_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KERNEL_H

#include "../common/shares.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "expert_counter.h"
#include "expert_scan.h"
#include "kernel_operator.h"
#include "pad_gather.h"
#include "pad_partition.h"
#include "token_placement.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

struct Pointers {
    GM_ADDR tokens;
    GM_ADDR map;
    GM_ADDR probs;
    GM_ADDR permuteTokens;
    GM_ADDR permuteProbs;
    GM_ADDR indices;
    GM_ADDR workspace;
};

/// Runs the phases of both modes. Output positions come from counts, so nothing is sorted. Every
/// block takes part in each SyncAll, and each phase allocates UB anew.
template <typename T>
class Kernel {
public:
    __aicore__ inline Kernel(const Pointers& gm, const TilingData* tiling, AscendC::TPipe* pipe)
        : gm_(gm), tiling_(tiling), pipe_(pipe) {}

    __aicore__ inline void ProcessCompact() {
        CountTokens();
        NextPhase();
        {
            ExpertScan scan;
            scan.Init(gm_.workspace, tiling_, pipe_);
            scan.Process();
        }
        NextPhase();
        if (IsIdle()) {
            return;
        }
        TokenPlacement<T> placement;
        placement.Init(gm_.tokens, gm_.map, gm_.probs, gm_.permuteTokens, gm_.permuteProbs,
                       gm_.indices, gm_.workspace, tiling_, pipe_);
        placement.FillRest();
        placement.Process();
    }

    __aicore__ inline void ProcessPad() {
        CountUnits();
        NextPhase();
        PartitionUnits();
        NextPhase();
        if (IsIdle()) {
            return;
        }
        PadGather<T> gather;
        gather.Init(gm_.tokens, gm_.permuteTokens, gm_.indices, Order(), tiling_, pipe_);
        gather.Process();
    }

private:
    /// Waits for all blocks and frees all of UB for the next phase.
    __aicore__ inline void NextPhase() {
        pipe_->Reset();
        AscendC::SyncAll();
    }

    __aicore__ inline bool IsIdle() const {
        return AscendC::GetBlockIdx() >= tiling_->rowParts * tiling_->colParts;
    }

    /// Counts the routed tokens of this block's range, unless an earlier block has the same range.
    __aicore__ inline void CountTokens() {
        const int64_t block = AscendC::GetBlockIdx();
        if (IsIdle() || block % tiling_->colParts != 0) {
            return;
        }
        const int64_t part = block / tiling_->colParts;
        ExpertCounter counter;
        counter.Init(gm_.map, gm_.workspace, tiling_, pipe_);
        counter.Count(part, Shares(tiling_->tokens, tiling_->parts).Of(part),
                      {0, tiling_->experts});
    }

    __aicore__ inline void CountUnits() {
        ExpertCounter counter;
        counter.Init(gm_.map, gm_.workspace, tiling_, pipe_);
        for (int64_t unit = AscendC::GetBlockIdx(); unit < Units();
             unit += AscendC::GetBlockNum()) {
            counter.Count(PartOf(unit), TokensOf(unit), ExpertsOf(unit));
        }
    }

    __aicore__ inline void PartitionUnits() {
        PadPartition<T> partition;
        partition.Init(gm_.map, gm_.probs, gm_.permuteProbs, gm_.workspace, Order(), tiling_,
                       pipe_);
        for (int64_t unit = AscendC::GetBlockIdx(); unit < Units();
             unit += AscendC::GetBlockNum()) {
            partition.Process(PartOf(unit), TokensOf(unit), ExpertsOf(unit));
        }
    }

    __aicore__ inline int64_t Units() const {
        return tiling_->countPitch / kGroup * tiling_->parts;
    }
    __aicore__ inline int64_t PartOf(int64_t unit) const { return unit % tiling_->parts; }
    __aicore__ inline Range TokensOf(int64_t unit) const {
        return Shares(tiling_->tokens, tiling_->parts).Of(PartOf(unit));
    }
    __aicore__ inline Range ExpertsOf(int64_t unit) const {
        const int64_t begin = unit / tiling_->parts * kGroup;
        return {begin, Min(begin + kGroup, tiling_->experts)};
    }

    /// Returns the address of the token numbers, after the counters and the sums of the scan.
    __aicore__ inline GM_ADDR Order() const {
        const int64_t floats =
            tiling_->parts * tiling_->countPitch + AscendC::GetBlockNum() * ExpertScan::kSumElems;
        return gm_.workspace + floats * sizeof(float);
    }

    Pointers gm_;
    const TilingData* tiling_;
    AscendC::TPipe* pipe_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KERNEL_H
