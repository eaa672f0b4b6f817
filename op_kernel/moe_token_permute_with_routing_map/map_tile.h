// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_MAP_TILE_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_MAP_TILE_H

#include "common.h"

namespace MoeTokenPermute {

/// A rectangle of the map: tokens x experts.
struct Rect {
    int64_t row;
    int64_t col;
    uint32_t rows;
    uint32_t cols;

    /// Elements from row to row in UB.
    __aicore__ inline uint32_t Pitch() const {
        return static_cast<uint32_t>(RoundUp(cols, kMapUnit));
    }
    __aicore__ inline uint32_t Elems() const { return rows * Pitch(); }
};

/// Brings rectangles of the map into UB as halves, 1 where a token is routed to an expert and 0
/// elsewhere, also in the columns that fill a row up to its pitch.
class MapTile {
public:
    /// `tileElems`: what Rect::Elems may reach. `buffers`: 2 if CopyIn runs ahead of Compute.
    __aicore__ inline void Init(GM_ADDR map, const TilingData* tiling, AscendC::TPipe* pipe,
                                uint32_t tileElems, uint8_t buffers) {
        experts_ = tiling->experts;
        mapGm_.SetGlobalBuffer((__gm__ int8_t*)map, tiling->tokens * experts_);
        pipe->InitBuffer(in_, buffers, tileElems);
        pipe->InitBuffer(ones_, tileElems * sizeof(half));
    }

    __aicore__ inline void CopyIn(const Rect& rect) {
        AscendC::LocalTensor<int8_t> in = in_.AllocTensor<int8_t>();
        const uint32_t filling = rect.Pitch() - rect.cols;
        AscendC::DataCopyExtParams runs = Runs(rect.rows, rect.cols, experts_ - rect.cols, true);
        if (filling == 0 && rect.cols == experts_) {
            runs = Runs(1, rect.Elems(), 0, true);
        }
        const AscendC::DataCopyPadExtParams<int8_t> zeros(filling > 0, 0,
                                                          static_cast<uint8_t>(filling), 0);
        AscendC::DataCopyPad(in, mapGm_[rect.row * experts_ + rect.col], runs, zeros);
        in_.EnQue(in);
    }

    /// The rectangle that CopyIn brought. Every value but 0 means routed.
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
    AscendC::GlobalTensor<int8_t> mapGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> ones_;
};

}  // namespace MoeTokenPermute

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_MAP_TILE_H
