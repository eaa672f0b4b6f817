// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KERNEL_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KERNEL_H

#include "../common/meeting.h"
#include "../common/shares.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "empty_rows.h"
#include "expert_counter.h"
#include "expert_runs.h"
#include "expert_scan.h"
#include "first_positions.h"
#include "kernel_operator.h"
#include "pad_gather.h"
#include "pad_partition.h"
#include "pointers.h"
#include "position_scan.h"
#include "token_placement.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Runs the phases of both modes. Output positions come from counts, so nothing is sorted. Each
/// phase allocates UB anew. If blocks exchange counts, every block takes part in each SyncAll.
template <typename T>
class Kernel {
public:
    __aicore__ inline Kernel(const Pointers& gm, const TilingData* tiling, AscendC::TPipe* pipe)
        : gm_(gm), tiling_(tiling), pipe_(pipe) {
        const int64_t block = AscendC::GetBlockIdx();
        part_ = block / tiling->colParts;
        colPart_ = block % tiling->colParts;
    }

    __aicore__ inline void ProcessCompact() {
        tokens_ = Shares(tiling_->tokens, tiling_->rowParts).Of(part_);
        if (tiling_->experts > tiling_->tileCols) {
            ProcessWide();
        } else if (tiling_->readsWholeMap != 0) {
            ProcessAlone();
        } else {
            ProcessTogether();
        }
    }

    __aicore__ inline void ProcessPad() {
        if (tiling_->readsWholeMap == 0) {
            CountUnits();
            NextPhase();
        }
        PartitionUnits();
        NextPhase();
        if (IsIdle()) {
            return;
        }
        AscendC::ICachePreLoad(kPreloadUnits);
        PadGather<T> gather;
        gather.Init(gm_.tokens, gm_.permuteTokens, gm_.indices, AfterCounters(), tiling_, pipe_);
        gather.Process();
    }

private:
    /// Waits for all blocks and frees all of UB for the next phase. Meanwhile the code of the next
    /// phase is loaded.
    __aicore__ inline void NextPhase() {
        Meeting::Arrive();
        AscendC::ICachePreLoad(kPreloadUnits);
        FreeUb();
        Meeting::Wait();
    }

    /// Frees all of UB. Nothing accesses it any more.
    __aicore__ inline void FreeUb() {
        AscendC::PipeBarrier<PIPE_ALL>();
        pipe_->Reset();
    }

    __aicore__ inline bool IsIdle() const {
        return AscendC::GetBlockIdx() >= tiling_->rowParts * tiling_->colParts;
    }

    /// Counts the routed tokens of this block's range, unless an earlier block has the same range.
    __aicore__ inline void CountTokens() {
        if (IsIdle() || colPart_ != 0) {
            return;
        }
        CounterRows counter;
        counter.Init(gm_.map, gm_.workspace, tiling_, pipe_);
        counter.Count(part_, tokens_, {0, tiling_->experts});
    }

    /// Places tokens if every block reads the whole map. Then no block waits for another one.
    __aicore__ inline void ProcessAlone() {
        PositionScan scan;
        scan.Init(tiling_, pipe_);
        scan.ReadMap(gm_.map, tokens_.begin, pipe_);
        if (tiling_->keepsPositions == 0) {
            scan.Finish();
            PlaceStored(&scan);
            return;
        }
        AscendC::ICachePreLoad(kPreloadUnits);
        FirstPositions firsts;
        firsts.Init(tiling_, pipe_);
        TokenPlacement<T> placement;
        placement.Init(gm_, tiling_, tokens_, colPart_, &firsts, pipe_);
        scan.Finish();
        firsts.Set(scan.Positions(), scan.Total());
        placement.Process();
        FillRest(scan.Total());
    }

    /// Places tokens if the blocks exchange their counts. A block prepares what needs no positions
    /// while other blocks still count.
    __aicore__ inline void ProcessTogether() {
        CountTokens();
        Meeting::Arrive();
        FreeUb();
        PositionScan scan;
        scan.Init(tiling_, pipe_);
        if (tiling_->keepsPositions == 0) {
            Meeting::Wait();
            scan.ReadCounters(gm_.workspace, part_);
            scan.Finish();
            PlaceStored(&scan);
            return;
        }
        FirstPositions firsts;
        firsts.Init(tiling_, pipe_);
        AscendC::ICachePreLoad(kPreloadUnits);
        TokenPlacement<T> placement;
        placement.Init(gm_, tiling_, tokens_, colPart_, &firsts, pipe_);
        Meeting::Wait();
        scan.ReadCounters(gm_.workspace, part_);
        scan.Finish();
        if (tiling_->rowBlocks != 0) {
            StorePositions(&scan);
        }
        firsts.Set(scan.Positions(), scan.Total());
        placement.Process();
        FinishPlacement(scan.Total());
    }

    /// Stores the positions in the workspace, so that all of UB can be allocated anew.
    __aicore__ inline void PlaceStored(PositionScan* scan) {
        StorePositions(scan);
        FreeUb();
        FirstPositions firsts;
        firsts.Init(tiling_, pipe_);
        firsts.Load(StoredPositions(), scan->Total());
        Place(&firsts);
        FinishPlacement(scan->Total());
    }

    /// Moves the tokens if TokenPlacement has written only their indices. Fills the other rows.
    __aicore__ inline void FinishPlacement(float total) {
        if (tiling_->rowBlocks != 0) {
            AscendC::ICachePreLoad(kPreloadUnits);
            FreeUb();
            FirstPositions firsts;
            firsts.Init(tiling_, pipe_);
            firsts.Load(StoredPositions(), total);
            PlaceRuns(&firsts);
        }
        FillRest(total);
    }

    __aicore__ inline void StorePositions(PositionScan* scan) {
        Store(StoredPositions(), scan->Positions(), static_cast<uint32_t>(tiling_->countPitch));
    }
    __aicore__ inline AscendC::GlobalTensor<float> StoredPositions() const {
        AscendC::GlobalTensor<float> stored;
        stored.SetGlobalBuffer(
            (__gm__ float*)AfterCounters() + AscendC::GetBlockIdx() * tiling_->countPitch,
            tiling_->countPitch);
        return stored;
    }

    /// Places tokens if a tile cannot have all experts. Then the positions are in the workspace.
    __aicore__ inline void ProcessWide() {
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
        FirstPositions firsts;
        firsts.Init(tiling_, pipe_);
        firsts.Finish(gm_.workspace, part_, pipe_);
        Place(&firsts);
        FillRest(firsts.Total());
    }

    __aicore__ inline void Place(FirstPositions* firsts) {
        AscendC::ICachePreLoad(kPreloadUnits);
        TokenPlacement<T> placement;
        placement.Init(gm_, tiling_, tokens_, colPart_, firsts, pipe_);
        placement.Process();
    }

    __aicore__ inline void PlaceRuns(FirstPositions* firsts) {
        StridedWriter writer;
        writer.Init(kStageElems, kStageBuffers, pipe_);
        ExpertRuns<T> runs;
        runs.InitPositions(tiling_, pipe_);
        runs.Init(gm_.map, gm_.probs, gm_.permuteProbs, tiling_, tokens_, pipe_, &writer);
        runs.MoveTokens(gm_.tokens, gm_.permuteTokens, pipe_);
        AscendC::ICachePreLoad(kPreloadUnits);
        runs.LoadFirst();
        runs.Start(firsts);
        while (runs.ProcessNext()) {
        }
    }

    /// Writes zeros to the rows that a wrong map does not fill. It has `total` routed pairs.
    __aicore__ inline void FillRest(float total) {
        if (total >= static_cast<float>(tiling_->outRows)) {
            return;
        }
        FreeUb();
        const int64_t begin = colPart_ * tiling_->colsPerPart;
        EmptyRows<T> rest;
        rest.Fill(gm_, tiling_, total, part_,
                  {begin, Min(begin + tiling_->colsPerPart, tiling_->hidden)},
                  colPart_ == 0 && tiling_->hasProbs != 0, pipe_);
    }

    __aicore__ inline void CountUnits() {
        CounterRows counter;
        counter.Init(gm_.map, gm_.workspace, tiling_, pipe_);
        for (int64_t unit = AscendC::GetBlockIdx(); unit < Units();
             unit += AscendC::GetBlockNum()) {
            counter.Count(PartOf(unit), TokensOf(unit), ExpertsOf(unit));
        }
    }

    __aicore__ inline void PartitionUnits() {
        AscendC::ICachePreLoad(kPreloadUnits);
        PadPartition<T> partition;
        partition.Init(gm_, AfterCounters(), tiling_, pipe_);
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

    /// Returns the address after the counters and the sums of the scan. There are the positions of
    /// every block, or in pad mode the token numbers.
    __aicore__ inline GM_ADDR AfterCounters() const {
        const int64_t floats =
            tiling_->parts * tiling_->countPitch + AscendC::GetBlockNum() * ExpertScan::kSumElems;
        return gm_.workspace + floats * sizeof(float);
    }

    Pointers gm_;
    const TilingData* tiling_;
    AscendC::TPipe* pipe_;
    int64_t part_;     ///< number of this block's range of tokens
    int64_t colPart_;  ///< number of this block among the blocks that share the range
    Range tokens_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KERNEL_H
