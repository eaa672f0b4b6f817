// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_SWI_GLU_GRAD_KERNEL_H
#define OP_KERNEL_SWI_GLU_GRAD_KERNEL_H

#include "../swi_glu_grad_tiling.h"
#include "kernel_operator.h"
#include "swi_glu_grad_compute.h"

namespace SwiGluGradOp {

/// Gradient of y = silu(a) * b with x = [a | b] along the columns. T: half, bfloat16_t or float.
///
/// One queue entry carries a tile's a, b and g behind each other, and one its two results: a tile
/// costs one event pair per direction, and 16-bit tiles one cast in and one cast out.
template <typename T>
class SwiGluGradKernel {
public:
    __aicore__ inline SwiGluGradKernel() {}

    __aicore__ inline void Init(GM_ADDR yGrad, GM_ADDR x, GM_ADDR xGrad,
                                const SwiGluGradTilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = *tiling;
        yGradGm_.SetGlobalBuffer((__gm__ T*)yGrad, tiling_.rows * tiling_.cols);
        xGm_.SetGlobalBuffer((__gm__ T*)x, tiling_.rows * tiling_.cols * 2);
        xGradGm_.SetGlobalBuffer((__gm__ T*)xGrad, tiling_.rows * tiling_.cols * 2);
        const uint32_t bytes = tiling_.tileElems * sizeof(T);
        pipe->InitBuffer(inQueue_, BUFFER_NUM, 3 * bytes);
        pipe->InitBuffer(outQueue_, BUFFER_NUM, 2 * bytes);
        compute_.Init(pipe, tiling_.tileElems);
    }

    __aicore__ inline void Process() {
        const int64_t blocks = AscendC::GetBlockNum();
        const int64_t block = AscendC::GetBlockIdx();
        const int64_t share = tiling_.tiles / blocks;
        const int64_t extra = tiling_.tiles % blocks;
        const int64_t first = block * share + (block < extra ? block : extra);
        const int64_t end = first + share + (block < extra ? 1 : 0);
        if (first < end) {
            CopyIn(TileAt(first));
        }
        for (int64_t index = first; index < end; ++index) {
            // The next tile is on its way in while this one is computed and the one before goes
            // out.
            if (index + 1 < end) {
                CopyIn(TileAt(index + 1));
            }
            const Tile tile = TileAt(index);
            Compute(tile);
            CopyOut(tile);
        }
    }

private:
    static constexpr int32_t BUFFER_NUM = 2;
    static constexpr uint32_t ELEMS_PER_BLOCK = 32 / sizeof(T);

    struct Tile {
        int64_t row;
        int64_t col;
        uint32_t rows;
        uint32_t cols;
        uint32_t pitch;  ///< elements from row to row in UB: cols rounded up to 32 B

        __aicore__ inline uint32_t Elems() const { return rows * pitch; }
    };

    __aicore__ inline Tile TileAt(int64_t index) const {
        Tile tile;
        tile.row = index / tiling_.colTiles * tiling_.rowsPerTile;
        tile.col = index % tiling_.colTiles * tiling_.colsPerTile;
        const int64_t rowsLeft = tiling_.rows - tile.row;
        const int64_t colsLeft = tiling_.cols - tile.col;
        tile.rows =
            rowsLeft < tiling_.rowsPerTile ? static_cast<uint32_t>(rowsLeft) : tiling_.rowsPerTile;
        tile.cols =
            colsLeft < tiling_.colsPerTile ? static_cast<uint32_t>(colsLeft) : tiling_.colsPerTile;
        tile.pitch = (tile.cols + ELEMS_PER_BLOCK - 1) / ELEMS_PER_BLOCK * ELEMS_PER_BLOCK;
        return tile;
    }

    /// Runs of `cols` elements, `gap` elements of GM between them. A tile has several rows only
    /// where a whole half row fits into it, so a gap of several rows' worth never has to fit into
    /// 32 bits.
    __aicore__ inline AscendC::DataCopyExtParams Runs(const Tile& tile, int64_t gap,
                                                      bool gmIsSource) const {
        const uint32_t gapBytes = tile.rows > 1 ? static_cast<uint32_t>(gap * sizeof(T)) : 0;
        AscendC::DataCopyExtParams params;
        params.blockCount = static_cast<uint16_t>(tile.rows);
        params.blockLen = tile.cols * sizeof(T);
        params.srcStride = gmIsSource ? gapBytes : 0;
        params.dstStride = gmIsSource ? 0 : gapBytes;
        if (gap == 0 &&
            tile.pitch == tile.cols) {  // nothing between the rows on either side: one long run
            params.blockCount = 1;
            params.blockLen = tile.Elems() * sizeof(T);
        }
        return params;
    }

    __aicore__ inline void CopyIn(const Tile& tile) {
        AscendC::LocalTensor<T> in = inQueue_.template AllocTensor<T>();
        const AscendC::DataCopyPadExtParams<T> noPadding(false, 0, 0, T());
        const AscendC::DataCopyExtParams halves = Runs(tile, tiling_.cols, true);
        const AscendC::DataCopyExtParams grads = Runs(tile, 0, true);
        const uint32_t elems = tile.Elems();
        const int64_t gate = tile.row * tiling_.cols * 2 + tile.col;
        AscendC::DataCopyPad(in, xGm_[gate], halves, noPadding);
        AscendC::DataCopyPad(in[elems], xGm_[gate + tiling_.cols], halves, noPadding);
        AscendC::DataCopyPad(in[2 * elems], yGradGm_[tile.row * tiling_.cols + tile.col], grads,
                             noPadding);
        inQueue_.EnQue(in);
    }

    __aicore__ inline void Compute(const Tile& tile) {
        AscendC::LocalTensor<T> in = inQueue_.template DeQue<T>();
        AscendC::LocalTensor<T> out = outQueue_.template AllocTensor<T>();
        compute_.Run(out, in, tile.Elems());
        outQueue_.EnQue(out);
        inQueue_.FreeTensor(in);
    }

    __aicore__ inline void CopyOut(const Tile& tile) {
        AscendC::LocalTensor<T> out = outQueue_.template DeQue<T>();
        const AscendC::DataCopyExtParams halves = Runs(tile, tiling_.cols, false);
        const int64_t gate = tile.row * tiling_.cols * 2 + tile.col;
        AscendC::DataCopyPad(xGradGm_[gate], out, halves);
        AscendC::DataCopyPad(xGradGm_[gate + tiling_.cols], out[tile.Elems()], halves);
        outQueue_.FreeTensor(out);
    }

    SwiGluGradTilingData tiling_;
    AscendC::GlobalTensor<T> yGradGm_;
    AscendC::GlobalTensor<T> xGm_;
    AscendC::GlobalTensor<T> xGradGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> inQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> outQueue_;
    SwiGluGradCompute<T> compute_;
};

}  // namespace SwiGluGradOp

#endif  // OP_KERNEL_SWI_GLU_GRAD_KERNEL_H
