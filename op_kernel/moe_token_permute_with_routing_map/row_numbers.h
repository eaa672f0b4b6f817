// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROW_NUMBERS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROW_NUMBERS_H

#include "../common/copy.h"
#include "../common/sync.h"
#include "../common/ub_slices.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "bits.h"
#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// The rows of the routed elements of a tile. Also contains the rows that a correct map has: each
/// of its rows has k routed elements, so element i is in row i / k.
class RowNumbers {
public:
    /// Returns the bytes that Init() takes of `slices`.
    static __aicore__ inline uint32_t Bytes(const TilingData* tiling) {
        const uint32_t elems = tiling->tileElems;
        return (2 * elems + ExpectedRows(tiling)) * sizeof(int16_t) +
               UbSlices::Bytes<half>(elems / kUnit);
    }

    /// `index` and `scratch` have room for the elements of a tile.
    __aicore__ inline void Init(const TilingData* tiling, const AscendC::LocalTensor<float>& index,
                                const AscendC::LocalTensor<float>& scratch, UbSlices* slices) {
        elems_ = tiling->tileElems;
        const uint32_t slots = static_cast<uint32_t>(tiling->slots);
        const uint32_t expected = ExpectedRows(tiling);
        all_ = slices->Take<int16_t>(elems_);
        selected_ = slices->Take<int16_t>(elems_);
        expected_ = slices->Take<int16_t>(expected);
        worst_ = slices->Take<half>(elems_ / kUnit);
        SetPitch(tiling->tileCols);
        AscendC::CreateVecIndex(index, 0.0f, expected);
        Divide(expected_, index, scratch, slots, expected);
    }

    /// Numbers the rows of tiles whose rows have `pitch` elements. A wide map has tiles with
    /// different pitches. Each step copies all numbered rows, so few steps are enough.
    __aicore__ inline void SetPitch(uint32_t pitch) {
        if (pitch == pitch_) {
            return;
        }
        pitch_ = pitch;
        const AscendC::LocalTensor<int16_t> all = all_;
        AscendC::Duplicate(all, static_cast<int16_t>(0), static_cast<int32_t>(pitch));
        AscendC::PipeBarrier<PIPE_V>();
        int16_t rows = 1;
        for (uint32_t done = pitch; done < elems_; done *= 2) {
            const uint32_t some = done < elems_ - done ? done : elems_ - done;
            AscendC::Adds(all[done], all, rows, static_cast<int32_t>(some));
            AscendC::PipeBarrier<PIPE_V>();
            rows *= 2;
        }
    }

    /// Selects the rows of the elements whose bit is 1.
    __aicore__ inline void Select(const AscendC::LocalTensor<uint16_t>& bits, uint32_t elems) {
        uint64_t kept = 0;
        AscendC::GatherMask(selected_, all_, bits, true, elems, OneRepeat(), kept);
    }

    /// Returns what Select() has selected.
    __aicore__ inline AscendC::LocalTensor<int16_t> Selected() { return selected_; }

    /// Returns true if the first `count` selected rows are those of a correct map. `scratch` has
    /// room for the elements of a tile.
    __aicore__ inline bool AreExpected(uint32_t count, const AscendC::LocalTensor<half>& scratch) {
        const uint32_t repeats = static_cast<uint32_t>(CeilDiv(count, kUnit));
        const uint32_t last = (repeats - 1) * kUnit;
        const int32_t elems = static_cast<int32_t>(count);
        const AscendC::LocalTensor<int16_t> rows = scratch.ReinterpretCast<int16_t>();
        AscendC::Duplicate(rows[last], static_cast<int16_t>(0), static_cast<int32_t>(kUnit));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sub(rows, Selected(), expected_, elems);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(scratch, rows, AscendC::RoundMode::CAST_NONE, repeats * kUnit);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Abs(scratch, scratch, static_cast<int32_t>(repeats * kUnit));
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<half> worst = worst_;
        AscendC::WholeReduceMax(worst, scratch, static_cast<int32_t>(kUnit),
                                static_cast<int32_t>(repeats), 1, 1, 8,
                                AscendC::ReduceOrder::ORDER_ONLY_VALUE);
        Sync<AscendC::HardEvent::V_S>();
        for (uint32_t i = 0; i < repeats; ++i) {
            if (static_cast<float>(worst.GetValue(i)) != 0.0f) {
                return false;
            }
        }
        return true;
    }

private:
    static constexpr uint32_t kUnit = 128;  ///< elements of half in one repeat

    /// Returns the number of expected rows. A wide tile may have fewer elements than slots. It
    /// needs no expected rows.
    static __aicore__ inline uint32_t ExpectedRows(const TilingData* tiling) {
        const uint32_t slots = static_cast<uint32_t>(tiling->slots);
        return Min(RoundUp(tiling->tileRows * slots, kUnit), tiling->tileElems);
    }

    /// Sets quotients[i] to the integer part of i / divisor. Half an element is added to i, so that
    /// rounding errors never change the integer part.
    __aicore__ inline void Divide(const AscendC::LocalTensor<int16_t>& quotients,
                                  const AscendC::LocalTensor<float>& index,
                                  const AscendC::LocalTensor<float>& scratch, uint32_t divisor,
                                  uint32_t count) {
        AscendC::Adds(scratch, index, 0.5f, static_cast<int32_t>(count));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(scratch, scratch, 1.0f / static_cast<float>(divisor),
                      static_cast<int32_t>(count));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(quotients, scratch, AscendC::RoundMode::CAST_FLOOR, count);
    }

    uint32_t elems_;
    uint32_t pitch_ = 0;
    AscendC::LocalTensor<int16_t> all_;
    AscendC::LocalTensor<int16_t> selected_;
    AscendC::LocalTensor<int16_t> expected_;
    AscendC::LocalTensor<half> worst_;  ///< largest difference by repeat
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROW_NUMBERS_H
