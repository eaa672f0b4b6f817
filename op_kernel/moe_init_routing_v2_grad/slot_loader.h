// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_SLOT_LOADER_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_SLOT_LOADER_H

#include "../common/copy.h"
#include "../moe_init_routing_v2_grad_tiling.h"
#include "index_window.h"
#include "kernel_operator.h"
#include "row_loader.h"
#include "row_sum.h"
#include "step.h"

namespace ops::MoeInitRoutingV2GradOp {

/// Loads the rows of a step, slot by slot. Slots 2 * i and 2 * i + 1 of a token are in two places
/// that are added first. So both orders of these two rows give the same sum, and one copy can load
/// them in the order in which they are in GM.
template <typename T>
class SlotLoader {
public:
    __aicore__ inline void Init(const MoeInitRoutingV2GradTilingData* tiling, GM_ADDR gradExpandedX,
                                GM_ADDR expandedRowIdx,
                                const AscendC::LocalTensor<int32_t>& indices) {
        slots_ = static_cast<uint32_t>(tiling->slots);
        countsRows_ = slots_ <= tiling->indexElems;
        gm_.SetGlobalBuffer((__gm__ T*)gradExpandedX, tiling->rows * tiling->cols);
        if (tiling->readsPastL2 != 0) {
            gm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
        }
        form_ = RowForm::Of<T>(tiling->rows, tiling->cols);
        index_.Init(expandedRowIdx, tiling->tokens * tiling->slots, indices, tiling->indexElems);
    }

    /// Sets the end of this block's part of the index array.
    __aicore__ inline void SetIndexEnd(int64_t end) { indexEnd_ = end; }

    /// Ensures that the indices of a step are in UB, and returns the place of the first one. The
    /// first step of a tile also needs the later slots of its token, to count rows.
    __aicore__ inline uint32_t Require(const Step& step) {
        const int64_t first = step.token * slots_ + step.slot;
        const uint32_t slots = MayCount(step) ? slots_ : step.slots;
        return index_.Require(first, first + (step.tokens - 1) * slots_ + slots, indexEnd_);
    }

    /// Loads the rows of a step, whose indices begin at `place`. If few rows of the tile exist, the
    /// step becomes the last one of the tile.
    __aicore__ inline void Load(Step* step, const RowPlaces& places,
                                const AscendC::LocalTensor<T>& in, uint32_t place) {
        step->present = MayBeFew(*step, place) ? LoadFew(*step, places, in, place) : kManyRows;
        if (step->present != kManyRows) {
            step->last = true;
        } else if (!LoadSlots(*step, places, in, place)) {
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

private:
    /// Returns true for the first step of a tile with one token.
    __aicore__ inline bool MayCount(const Step& step) const {
        return step.tokens == 1 && step.IsFirst() && countsRows_;
    }

    /// Returns true if it is worth counting the rows of a token that exist: if one of the first two
    /// does not exist.
    __aicore__ inline bool MayBeFew(const Step& step, uint32_t place) const {
        if (!MayCount(step)) {
            return false;
        }
        const Indices indices = index_.Local();
        const IndexPair row = place % 2 == 0 ? indices.PairAt(place) : indices.TwoAt(place);
        return row.first >= form_.rows || row.second >= form_.rows;
    }

    /// Loads the rows of a token if at most kFewRows exist, and returns their number; else returns
    /// kManyRows. The places of rows that do not exist are not filled.
    __aicore__ inline uint32_t LoadFew(const Step step, const RowPlaces& places,
                                       const AscendC::LocalTensor<T>& in, uint32_t place) {
        const Indices indices = index_.Local();
        const RowForm form = RowForm::Part<T>(form_, step.cols);
        const bool even = slots_ % 2 == 0 && place % 2 == 0;
        uint32_t count = 0;
        IndexPair row = {0, 0};
        for (uint32_t at = place; at + 1 < place + slots_; at += 2) {
            const IndexPair next = even ? indices.PairAt(at) : indices.TwoAt(at);
            if (next.first < form.rows) {
                row = {row.second, next.first};
                ++count;
            }
            if (next.second < form.rows) {
                row = {row.second, next.second};
                ++count;
            }
        }
        if (slots_ % 2 != 0) {
            const uint32_t last = indices.At(place + slots_ - 1);
            if (last < form.rows) {
                row = {row.second, last};
                ++count;
            }
        }
        if (count > kFewRows) {
            return kManyRows;
        }
        const AscendC::GlobalTensor<T> gm = gm_[step.col];
        if (count == kFewRows) {
            LoadRow<false>(form, gm, in[places.PairDistance()], row.first);
        }
        if (count > 0) {
            LoadRow<false>(form, gm, in, row.second);
        }
        return count;
    }

    /// Loads the rows of a step, whose indices begin at `place`. If the index of a pair's second
    /// slot is smaller, the two rows change places. Returns false if V fills rows with zeros. Only
    /// V reads the buffer, and no copy writes these rows, so V needs no flag for them.
    __aicore__ inline bool LoadSlots(const Step step, const RowPlaces& places,
                                     const AscendC::LocalTensor<T>& in, uint32_t place) {
        const AscendC::GlobalTensor<T> gm = gm_[step.col];
        const RowForm form = RowForm::Part<T>(form_, step.cols);
        const AscendC::DataCopyPadExtParams<T> padding = NoPadding<T>();
        const Indices indices = index_.Local();
        const uint32_t slots = slots_;
        const uint32_t odd = (slots | place) % 2;  // 1 if a pair may begin at an odd place
        const uint32_t pairs = step.slots / 2;
        const uint32_t distance = pairs > 0 ? places.PairDistance() : form.elems;
        const uint32_t gap = (distance - form.elems) / kElemsPerBlock<T>;
        bool complete = true;
        for (uint32_t pair = 0; pair < pairs; ++pair) {
            uint32_t at = place + 2 * pair;
            uint32_t offset = places.OffsetOf(pair);
            for (const uint32_t end = offset + step.Elems(); offset < end; offset += form.elems) {
                IndexPair row = (at & odd) == 0 ? indices.PairAt(at) : indices.TwoAt(at);
                if (row.first > row.second) {
                    row = {row.second, row.first};
                }
                // If the rows are too near, `further` wraps to a number above every index.
                const uint32_t further = row.second - row.first - form.distance;
                if (row.second < form.pairRows && further < row.second) {
                    AscendC::DataCopyPad(
                        in[offset], gm[static_cast<uint64_t>(row.first) * form.pitch],
                        AscendC::DataCopyExtParams(
                            2, form.bytes, further * form.pitchBytes + form.leastGap, gap, 0),
                        padding);
                } else {
                    complete &= LoadRow<true>(form, gm, in[offset + distance], row.second);
                    complete &= LoadRow<true>(form, gm, in[offset], row.first);
                }
                at += slots;
            }
        }
        if (step.slots % 2 != 0) {
            complete &= LoadLast(step, in[places.OffsetOf(pairs)], place + 2 * pairs);
        }
        return complete;
    }

    /// Loads the last slot of each token, whose indices begin at `place`, as LoadSlots.
    __aicore__ inline bool LoadLast(const Step step, const AscendC::LocalTensor<T>& in,
                                    uint32_t place) {
        const AscendC::GlobalTensor<T> gm = gm_[step.col];
        const RowForm form = RowForm::Part<T>(form_, step.cols);
        const Indices indices = index_.Local();
        const uint32_t slots = slots_;
        const uint32_t end = step.Elems();
        bool complete = true;
        uint32_t at = place;
        for (uint32_t offset = 0; offset < end; offset += form.elems) {
            complete &= LoadRow<true>(form, gm, in[offset], indices.At(at));
            at += slots;
        }
        return complete;
    }

    uint32_t slots_ = 0;
    bool countsRows_ = false;  ///< all indices of a token are in UB at a time
    int64_t indexEnd_ = 0;
    AscendC::GlobalTensor<T> gm_;
    RowForm form_;
    IndexWindow index_;
};

}  // namespace ops::MoeInitRoutingV2GradOp

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_SLOT_LOADER_H
