// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROUTED_TILE_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROUTED_TILE_H

#include "../common/copy.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "bits.h"
#include "first_positions.h"
#include "kernel_operator.h"
#include "map_tile.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Finds the routed elements of a tile of the map, token by token: their numbers in the tile and
/// their positions in the output. So the scalar unit reads only routed elements.
class RoutedTile {
public:
    __aicore__ inline void Init(GM_ADDR map, GM_ADDR workspace, const TilingData* tiling,
                                int64_t part, AscendC::TPipe* pipe) {
        const uint32_t elems = tiling->tileElems;
        outRows_ = tiling->outRows;
        slots_ = static_cast<uint32_t>(tiling->slots);
        map_.Init(map, tiling, pipe, elems, 1);
        firsts_.Init(workspace, tiling, part, pipe);
        pipe->InitBuffer(bits_, elems / 8);
        pipe->InitBuffer(floats_, elems * sizeof(float));
        pipe->InitBuffer(counts_, (elems + tiling->tileCols) * sizeof(float));
        pipe->InitBuffer(allNumbers_, elems * sizeof(uint16_t));
        pipe->InitBuffer(numbers_, elems * sizeof(uint16_t));
        pipe->InitBuffer(positions_, 2, elems * sizeof(int32_t));
        AscendC::CreateVecIndex(allNumbers_.Get<int16_t>(), static_cast<int16_t>(0), elems);
        firsts_.Prepare(counts_.Get<float>());
    }

    __aicore__ inline void CopyIn(const Rect& rect) { map_.CopyIn(rect); }

    /// Finds the routed elements that CopyIn() has loaded, and advances the experts' positions.
    __aicore__ inline void Locate(const Rect& rect) {
        const uint32_t elems = rect.Elems();
        const uint32_t pitch = rect.Pitch();
        const AscendC::LocalTensor<float> floats = floats_.Get<float>();
        const AscendC::LocalTensor<float> counts = counts_.Get<float>();
        Mark(rect, floats);
        if (!firsts_.Resident()) {
            firsts_.Fetch(counts, rect.col);
        }
        for (uint32_t row = 0; row < rect.rows; ++row) {
            AscendC::Add(counts[(row + 1) * pitch], counts[row * pitch], floats[row * pitch],
                         static_cast<int32_t>(pitch));
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::GatherMask(floats, counts, bits_.Get<uint32_t>(), true, elems, OneRepeat(), kept_);
        AscendC::GatherMask(numbers_.Get<uint16_t>(), allNumbers_.Get<uint16_t>(),
                            bits_.Get<uint16_t>(), true, elems, OneRepeat(), kept_);
        AscendC::PipeBarrier<PIPE_V>();
        if (firsts_.Resident()) {
            AscendC::Adds(counts, counts[rect.rows * pitch], 0.0f, static_cast<int32_t>(pitch));
        } else {
            firsts_.Put(counts[rect.rows * pitch], rect.col);
        }
        ToIntegers(floats);
        regular_ = FindRegular(rect);
    }

    __aicore__ inline void Release() { positions_.FreeTensor(targets_); }

    __aicore__ inline uint32_t Kept() const { return static_cast<uint32_t>(kept_); }
    /// Returns row * pitch + column of each routed element, ascending.
    __aicore__ inline AscendC::LocalTensor<uint16_t> Numbers() { return numbers_.Get<uint16_t>(); }
    /// Returns the output row of each routed element, or outRows_ if that row does not exist. MTE3,
    /// V and S may read the rows.
    __aicore__ inline const AscendC::LocalTensor<int32_t>& Targets() const { return targets_; }
    /// Returns true if the positions of all experts stay in UB.
    __aicore__ inline bool Resident() const { return firsts_.Resident(); }

    /// Returns the experts' positions from `col` on. V may read them. Call this before Locate().
    __aicore__ inline AscendC::LocalTensor<float> Positions(int64_t col) {
        const AscendC::LocalTensor<float> counts = counts_.Get<float>();
        if (firsts_.Resident()) {
            return counts[col];
        }
        firsts_.Fetch(counts, col);
        return counts;
    }

    /// Returns true if every token of the tile has k experts, and all of them are in the tile.
    __aicore__ inline bool IsRegular() const { return regular_; }

    /// Returns the number of output rows that the map fills. The map fills all rows unless some
    /// tokens have fewer than k experts.
    __aicore__ inline int64_t FilledRows() const {
        return firsts_.Total() < static_cast<float>(outRows_)
                   ? static_cast<int64_t>(firsts_.Total())
                   : outRows_;
    }

private:
    static constexpr uint32_t kCompareUnit = 128;  // elements of half in one repeat

    /// Sets bits_ and `floats` to 1 for routed elements of the rectangle, and to 0 for all others.
    __aicore__ inline void Mark(const Rect& rect, const AscendC::LocalTensor<float>& floats) {
        const uint32_t elems = rect.Elems();
        const uint32_t whole = static_cast<uint32_t>(RoundUp(elems, kCompareUnit));
        const AscendC::LocalTensor<half> ones = map_.Compute(rect);
        if (whole > elems) {
            AscendC::Duplicate(ones[elems], static_cast<half>(0.0f),
                               static_cast<int32_t>(whole - elems));
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::CompareScalar(bits_.Get<uint8_t>(), ones, static_cast<half>(0.0f),
                               AscendC::CMPMODE::GT, whole);
        AscendC::Cast(floats, ones, AscendC::RoundMode::CAST_NONE, elems);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline bool FindRegular(const Rect& rect) {
        if (!firsts_.Resident() || firsts_.Total() != static_cast<float>(outRows_) ||
            Kept() != rect.rows * slots_) {
            return false;
        }
        const AscendC::LocalTensor<uint16_t> numbers = Numbers();
        const uint32_t pitch = rect.Pitch();
        for (uint32_t row = 0; row < rect.rows; ++row) {
            if (numbers.GetValue(row * slots_) < row * pitch ||
                numbers.GetValue((row + 1) * slots_ - 1) >= (row + 1) * pitch) {
                return false;
            }
        }
        return true;
    }

    __aicore__ inline void ToIntegers(const AscendC::LocalTensor<float>& floats) {
        AscendC::LocalTensor<int32_t> targets = positions_.AllocTensor<int32_t>();
        if (kept_ > 0) {
            const int32_t kept = static_cast<int32_t>(kept_);
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
    FirstPositions firsts_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> bits_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> floats_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> counts_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> allNumbers_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> numbers_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> positions_;
    AscendC::LocalTensor<int32_t> targets_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROUTED_TILE_H
