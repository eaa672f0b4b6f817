// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EXPERT_COUNTER_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EXPERT_COUNTER_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "kernel_operator.h"
#include "map_tile.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Adds the upper rows to the lower rows until one row is left, the sum of all. So one instruction
/// processes many rows. A row has `pitch` elements.
template <typename T>
__aicore__ inline void FoldRows(const AscendC::LocalTensor<T>& elems, uint32_t rows,
                                uint32_t pitch) {
    while (rows > 1) {
        const uint32_t folded = rows / 2;
        rows -= folded;
        AscendC::Add(elems, elems, elems[rows * pitch], static_cast<int32_t>(folded * pitch));
        AscendC::PipeBarrier<PIPE_V>();
    }
}

/// Counts, for some experts, the tokens of a range that are routed to each of them.
class ExpertCounter {
public:
    /// Largest number of experts that one call of Sum() processes.
    static constexpr int64_t kMaxCols = 4096;

    /// One call of Sum() processes at most `cols` experts.
    __aicore__ inline void Init(GM_ADDR map, const TilingData* tiling, int64_t cols,
                                AscendC::TPipe* pipe) {
        countElems_ = tiling->countElems;
        map_.Init(map, tiling, pipe, tiling->countElems, 2);
        pipe->InitBuffer(row_, cols * sizeof(float));
    }

    /// Sets `sums` to the numbers of tokens among `tokens` that are routed to each of `experts`.
    __aicore__ inline void Sum(const AscendC::LocalTensor<float>& sums, const Range& tokens,
                               const Range& experts) {
        const uint32_t pitch = static_cast<uint32_t>(RoundUp(experts.Size(), kMapUnit));
        const int64_t tileRows = Min(kMaxRows, countElems_ / pitch);
        AscendC::Duplicate(sums, 0.0f, pitch);
        Rect next = RectAt(tokens.begin, tokens, experts, tileRows);
        if (next.rows > 0) {
            map_.CopyIn(next);
        }
        while (next.rows > 0) {
            const Rect rect = next;
            next = RectAt(rect.row + rect.rows, tokens, experts, tileRows);
            if (next.rows > 0) {
                map_.CopyIn(next);
            }
            AddColumns(sums, rect);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

private:
    static constexpr uint32_t kMaxRows = 2048;  ///< sums of 0 and 1 in half are exact up to 2048

    __aicore__ inline Rect RectAt(int64_t row, const Range& tokens, const Range& experts,
                                  int64_t tileRows) const {
        return {row, experts.begin, static_cast<uint32_t>(Min(tileRows, tokens.end - row)),
                static_cast<uint32_t>(experts.Size())};
    }

    /// Adds the columns of a tile to `sums`. The barriers of MapTile::Compute() order the additions
    /// to `sums` in successive tiles.
    __aicore__ inline void AddColumns(const AscendC::LocalTensor<float>& sums, const Rect& rect) {
        const uint32_t pitch = rect.Pitch();
        const AscendC::LocalTensor<half> ones = map_.Compute(rect);
        FoldRows(ones, rect.rows, pitch);
        const AscendC::LocalTensor<float> row = row_.Get<float>();
        AscendC::Cast(row, ones, AscendC::RoundMode::CAST_NONE, pitch);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(sums, sums, row, static_cast<int32_t>(pitch));
    }

    uint32_t countElems_;
    MapTile map_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> row_;
};

/// Writes counters to the workspace: one row of countPitch floats for each range of tokens.
class CounterRows {
public:
    __aicore__ inline void Init(GM_ADDR map, GM_ADDR workspace, const TilingData* tiling,
                                AscendC::TPipe* pipe) {
        countPitch_ = tiling->countPitch;
        countsGm_.SetGlobalBuffer((__gm__ float*)workspace, tiling->parts * countPitch_);
        const int64_t cols = Min(countPitch_, ExpertCounter::kMaxCols);
        counter_.Init(map, tiling, cols, pipe);
        pipe->InitBuffer(sums_, 2, cols * sizeof(float));
    }

    /// Computes the counters of `part`, whose tokens are `tokens`, for the experts `experts`.
    __aicore__ inline void Count(int64_t part, const Range& tokens, const Range& experts) {
        for (int64_t col = experts.begin; col < experts.end; col += ExpertCounter::kMaxCols) {
            const Range chunk = {col, Min(col + ExpertCounter::kMaxCols, experts.end)};
            AscendC::LocalTensor<float> sums = sums_.AllocTensor<float>();
            counter_.Sum(sums, tokens, chunk);
            sums_.EnQue(sums);
            sums = sums_.DeQue<float>();
            Store(countsGm_[part * countPitch_ + col], sums,
                  static_cast<uint32_t>(RoundUp(chunk.Size(), kMapUnit)));
            sums_.FreeTensor(sums);
        }
    }

private:
    int64_t countPitch_;
    AscendC::GlobalTensor<float> countsGm_;
    ExpertCounter counter_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> sums_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EXPERT_COUNTER_H
