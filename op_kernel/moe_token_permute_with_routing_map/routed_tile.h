// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROUTED_TILE_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROUTED_TILE_H

#include "../common/copy.h"
#include "../common/sync.h"
#include "../common/ub_slices.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "bits.h"
#include "first_positions.h"
#include "kernel_operator.h"
#include "map_tile.h"
#include "row_numbers.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Finds the routed elements of a tile of the map, token by token: their rows in the tile and their
/// positions in the output. So the scalar unit reads only routed elements.
class RoutedTile {
public:
    __aicore__ inline void Init(GM_ADDR map, const TilingData* tiling, FirstPositions* firsts,
                                AscendC::TPipe* pipe) {
        const uint32_t elems = tiling->tileElems;
        outRows_ = tiling->outRows;
        slots_ = static_cast<uint32_t>(tiling->slots);
        firsts_ = firsts;
        map_.Init(map, tiling, pipe, elems, 1);
        slices_.Init(UbSlices::Bytes<uint8_t>(elems / 8) + 2 * elems * sizeof(float) +
                         RowNumbers::Bytes(tiling),
                     pipe);
        bits_ = slices_.Take<uint8_t>(elems / 8);
        values_ = slices_.Take<float>(elems);
        picked_ = slices_.Take<float>(elems);
        pipe->InitBuffer(positions_, 2, elems * sizeof(int32_t));
        rows_.Init(tiling, values_, picked_, &slices_);
    }

    __aicore__ inline void CopyIn(const Rect& rect) { map_.CopyIn(rect); }

    /// Finds the routed elements that CopyIn() has loaded, and advances the experts' positions.
    /// Loads the rectangle `next` meanwhile, if it has rows.
    __aicore__ inline void Locate(const Rect& rect, const Rect& next) {
        const uint32_t elems = rect.Elems();
        const int32_t pitch = static_cast<int32_t>(rect.Pitch());
        const AscendC::LocalTensor<float> values = values_;
        const AscendC::LocalTensor<float> firsts = firsts_->At(rect.col);
        rows_.SetPitch(rect.Pitch());
        const AscendC::LocalTensor<half> ones = map_.Compute(rect);
        if (next.rows > 0) {
            map_.CopyIn(next);
        }
        Mark(rect, ones);
        AscendC::Cast(values, CountRows(rect, ones), AscendC::RoundMode::CAST_NONE, elems);
        AscendC::PipeBarrier<PIPE_V>();
        AddFirsts(rect, values, firsts);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(firsts, values[(rect.rows - 1) * pitch], 0.0f, pitch);
        AscendC::GatherMask(picked_, values, bits_.ReinterpretCast<uint32_t>(), true, elems,
                            OneRepeat(), kept_);
        rows_.Select(bits_.ReinterpretCast<uint16_t>(), elems);
        AscendC::PipeBarrier<PIPE_V>();
        firsts_->Put(firsts, rect.col);
        ToTargets(picked_);
        regular_ = firsts_->Resident() && firsts_->Total() == static_cast<float>(outRows_) &&
                   Kept() == rect.rows * slots_ &&
                   rows_.AreExpected(Kept(), values_.ReinterpretCast<half>());
    }

    __aicore__ inline void Release() { positions_.FreeTensor(targets_); }

    __aicore__ inline uint32_t Kept() const { return static_cast<uint32_t>(kept_); }
    /// Returns the row in the tile of each routed element, ascending.
    __aicore__ inline AscendC::LocalTensor<int16_t> RowsOfKept() { return rows_.Selected(); }
    /// Returns the bits of the tile's elements, 1 for routed ones. V may read them.
    template <typename Word>
    __aicore__ inline AscendC::LocalTensor<Word> Bits() {
        return bits_.ReinterpretCast<Word>();
    }
    /// Returns the output row of each routed element, or outRows_ if that row does not exist. MTE3,
    /// V and S may read the rows.
    __aicore__ inline const AscendC::LocalTensor<int32_t>& Targets() const { return targets_; }

    /// Returns true if every token of the tile has k experts, and all of them are in the tile.
    __aicore__ inline bool IsRegular() const { return regular_; }

private:
    static constexpr uint32_t kCompareUnit = 128;  ///< elements of half in one repeat
    static constexpr uint32_t kFloats = 64;        ///< elements of float in one repeat

    /// Sets the bits of the elements, which are 1 if they are routed, and 0 if not.
    __aicore__ inline void Mark(const Rect& rect, const AscendC::LocalTensor<half>& ones) {
        const uint32_t elems = rect.Elems();
        const uint32_t whole = static_cast<uint32_t>(RoundUp(elems, kCompareUnit));
        if (whole > elems) {
            AscendC::Duplicate(ones[elems], static_cast<half>(0.0f),
                               static_cast<int32_t>(whole - elems));
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::CompareScalar(bits_, ones, static_cast<half>(0.0f), AscendC::CMPMODE::GT, whole);
    }

    /// Returns the running sums over the rows. Each step adds the rows that lie `step` rows before,
    /// so few steps are enough. The sums are exact in half, because a tile has few rows.
    __aicore__ inline AscendC::LocalTensor<half> CountRows(const Rect& rect,
                                                           AscendC::LocalTensor<half> from) {
        AscendC::LocalTensor<half> to = picked_.ReinterpretCast<half>();
        for (uint32_t step = 1; step < rect.rows; step *= 2) {
            const uint32_t moved = step * rect.Pitch();
            AscendC::Adds(to, from, static_cast<half>(0.0f), static_cast<int32_t>(moved));
            AscendC::Add(to[moved], from[moved], from, static_cast<int32_t>(rect.Elems() - moved));
            AscendC::PipeBarrier<PIPE_V>();
            const AscendC::LocalTensor<half> next = from;
            from = to;
            to = next;
        }
        return from;
    }

    /// Adds the experts' next positions to every row: by columns if there are many rows.
    __aicore__ inline void AddFirsts(const Rect& rect, const AscendC::LocalTensor<float>& values,
                                     const AscendC::LocalTensor<float>& firsts) {
        const uint32_t pitch = rect.Pitch();
        if (rect.rows * kFloats <= pitch) {
            for (uint32_t row = 0; row < rect.rows; ++row) {
                AscendC::Add(values[row * pitch], values[row * pitch], firsts,
                             static_cast<int32_t>(pitch));
            }
            return;
        }
        const uint8_t step = static_cast<uint8_t>(pitch / kElemsPerBlock<float>);
        const AscendC::BinaryRepeatParams params(1, 1, 1, step, step, 0);
        for (uint32_t col = 0; col < pitch; col += kFloats) {
            AscendC::Add(values[col], values[col], firsts[col],
                         static_cast<uint64_t>(Min(kFloats, pitch - col)),
                         static_cast<uint8_t>(rect.rows), params);
        }
    }

    /// Converts the positions to output rows. The running sums begin with 1, so 1 is subtracted.
    __aicore__ inline void ToTargets(const AscendC::LocalTensor<float>& floats) {
        AscendC::LocalTensor<int32_t> targets = positions_.AllocTensor<int32_t>();
        if (kept_ > 0) {
            const int32_t kept = static_cast<int32_t>(kept_);
            AscendC::Adds(floats, floats, -1.0f, kept);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Mins(floats, floats, static_cast<float>(outRows_), kept);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(targets, floats, AscendC::RoundMode::CAST_RINT, kept);
        }
        positions_.EnQue(targets);
        targets_ = positions_.DeQue<int32_t>();
        Sync<AscendC::HardEvent::V_S>();  // also orders later reads of the lists by V
    }

    int64_t outRows_;
    uint32_t slots_;
    uint64_t kept_;
    bool regular_;
    MapTile map_;
    FirstPositions* firsts_;
    RowNumbers rows_;
    UbSlices slices_;
    AscendC::LocalTensor<uint8_t> bits_;
    AscendC::LocalTensor<float> values_;
    AscendC::LocalTensor<float> picked_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> positions_;
    AscendC::LocalTensor<int32_t> targets_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROUTED_TILE_H
