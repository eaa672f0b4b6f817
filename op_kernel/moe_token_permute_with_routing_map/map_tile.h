// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_MAP_TILE_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_MAP_TILE_H

#include "../common/copy.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "apart_rows.h"
#include "bits.h"
#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

constexpr uint32_t kMapUnit = 32;  ///< elements of the map in a block of 32 B

/// A rectangle of the map: its rows are tokens, its columns experts.
struct Rect {
    int64_t row;
    int64_t col;
    uint32_t rows;
    uint32_t cols;

    /// Returns the distance between rows in UB, in elements.
    __aicore__ inline uint32_t Pitch() const { return RoundUpTo<kMapUnit>(cols); }
    __aicore__ inline uint32_t Elems() const { return rows * Pitch(); }
};

/// Loads rectangles of the map into UB and converts them to half: 1 if a token is routed to an
/// expert, 0 if not, and 0 in the padding of each row.
class MapTile {
public:
    /// `tileElems` is the largest Rect::Elems(). `buffers` is 2 if CopyIn runs ahead of Compute.
    __aicore__ inline void Init(GM_ADDR map, const TilingData* tiling, AscendC::TPipe* pipe,
                                uint32_t tileElems, uint8_t buffers) {
        experts_ = tiling->experts;
        rows_.Init(experts_);
        mapGm_.SetGlobalBuffer((__gm__ int8_t*)map, tiling->tokens * experts_);
        pipe->InitBuffer(in_, buffers, tileElems);
        pipe->InitBuffer(ones_, tileElems * sizeof(half));
    }

    __aicore__ inline void CopyIn(const Rect& rect) {
        AscendC::LocalTensor<int8_t> in = in_.AllocTensor<int8_t>();
        const uint32_t filling = rect.Pitch() - rect.cols;
        const AscendC::DataCopyPadExtParams<int8_t> zeros(filling > 0, 0,
                                                          static_cast<uint8_t>(filling), 0);
        rows_.Load(in, mapGm_[rect.row * experts_ + rect.col], rect.rows, rect.cols, rect.Pitch(),
                   zeros);
        in_.EnQue(in);
    }

    /// Converts to half what CopyIn() has loaded: 0 stays 0, all other values become 1.
    __aicore__ inline AscendC::LocalTensor<half> Compute(const Rect& rect) {
        const int32_t elems = static_cast<int32_t>(rect.Elems());
        AscendC::LocalTensor<int8_t> in = in_.DeQue<int8_t>();
        AscendC::LocalTensor<half> ones = ones_.Get<half>();
        AscendC::Cast(ones, in, AscendC::RoundMode::CAST_NONE, elems);
        in_.FreeTensor(in);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Abs(ones, ones, elems);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(ones, ones, static_cast<half>(1.0f), elems);
        AscendC::PipeBarrier<PIPE_V>();
        return ones;
    }

private:
    int64_t experts_;
    ApartRows<int8_t> rows_;
    AscendC::GlobalTensor<int8_t> mapGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> ones_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_MAP_TILE_H
