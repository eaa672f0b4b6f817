// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EXPERT_COUNTER_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EXPERT_COUNTER_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "kernel_operator.h"
#include "map_tile.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Counts, for some experts, the tokens of a range that are routed to each of them.
class ExpertCounter {
public:
    __aicore__ inline void Init(GM_ADDR map, GM_ADDR workspace, const TilingData* tiling,
                                AscendC::TPipe* pipe) {
        countPitch_ = tiling->countPitch;
        countsGm_.SetGlobalBuffer((__gm__ float*)workspace, tiling->parts * countPitch_);
        map_.Init(map, tiling, pipe, kTileElems, 2);
        pipe->InitBuffer(sums_, 2, kMaxCols * sizeof(float));
        pipe->InitBuffer(row_, kMaxCols * sizeof(float));
    }

    /// Computes the counters of `part`, whose tokens are `tokens`, for the experts `experts`.
    __aicore__ inline void Count(int64_t part, const Range& tokens, const Range& experts) {
        for (int64_t col = experts.begin; col < experts.end; col += kMaxCols) {
            const Range chunk = {col, Min(col + kMaxCols, experts.end)};
            CountChunk(part, tokens, chunk);
        }
    }

private:
    // Sums of 0 and 1 in half are exact up to 2048; a tile has at most 1024 rows.
    static constexpr uint32_t kTileElems = 32768;
    static constexpr int64_t kMaxCols = 4096;

    __aicore__ inline void CountChunk(int64_t part, const Range& tokens, const Range& experts) {
        const uint32_t pitch = static_cast<uint32_t>(RoundUp(experts.Size(), kMapUnit));
        const int64_t tileRows = kTileElems / pitch;
        AscendC::LocalTensor<float> sums = sums_.AllocTensor<float>();
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
        sums_.EnQue(sums);
        sums = sums_.DeQue<float>();
        Store(countsGm_[part * countPitch_ + experts.begin], sums, pitch);
        sums_.FreeTensor(sums);
    }

    __aicore__ inline Rect RectAt(int64_t row, const Range& tokens, const Range& experts,
                                  int64_t tileRows) const {
        return {row, experts.begin, static_cast<uint32_t>(Min(tileRows, tokens.end - row)),
                static_cast<uint32_t>(experts.Size())};
    }

    /// Adds the columns of a tile to `sums`. It repeatedly adds the upper rows to the lower rows,
    /// so that one instruction processes many rows. The barriers of MapTile::Compute() order the
    /// additions to `sums` in successive tiles.
    __aicore__ inline void AddColumns(const AscendC::LocalTensor<float>& sums, const Rect& rect) {
        const uint32_t pitch = rect.Pitch();
        AscendC::LocalTensor<half> ones = map_.Compute(rect);
        for (uint32_t rows = rect.rows; rows > 1;) {
            const uint32_t folded = rows / 2;
            rows -= folded;
            AscendC::Add(ones, ones, ones[rows * pitch], static_cast<int32_t>(folded * pitch));
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::LocalTensor<float> row = row_.Get<float>();
        AscendC::Cast(row, ones, AscendC::RoundMode::CAST_NONE, pitch);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(sums, sums, row, static_cast<int32_t>(pitch));
    }

    int64_t countPitch_;
    AscendC::GlobalTensor<float> countsGm_;
    MapTile map_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> sums_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> row_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EXPERT_COUNTER_H
