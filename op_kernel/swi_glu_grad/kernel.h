// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_SWI_GLU_GRAD_KERNEL_H
#define OP_KERNEL_SWI_GLU_GRAD_KERNEL_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../swi_glu_grad_tiling.h"
#include "compute.h"
#include "kernel_operator.h"

namespace ops::SwiGluGradOp {

/// Computes the gradient of y = silu(a) * b with x = [a | b] along the columns. T: half, bfloat16_t
/// or float. One queue entry has a tile's a, b and yGrad, tileElems apart, and another one has both
/// results. So a tile needs one pair of events per direction, and a full 16-bit tile one Cast per
/// direction.
template <typename T>
class Kernel {
public:
    __aicore__ inline Kernel() {}

    __aicore__ inline void Init(GM_ADDR yGrad, GM_ADDR x, GM_ADDR xGrad,
                                const SwiGluGradTilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = *tiling;
        yGradGm_.SetGlobalBuffer((__gm__ T*)yGrad, tiling_.rows * tiling_.cols);
        xGm_.SetGlobalBuffer((__gm__ T*)x, tiling_.rows * tiling_.cols * 2);
        xGradGm_.SetGlobalBuffer((__gm__ T*)xGrad, tiling_.rows * tiling_.cols * 2);
        const uint32_t bytes = tiling_.tileElems * sizeof(T);
        pipe->InitBuffer(inQueue_, kBuffers, 3 * bytes);
        compute_.Init(pipe, tiling_.tileElems);
        pipe->InitBuffer(outQueue_, kBuffers, 2 * bytes);
    }

    __aicore__ inline void Process() {
        const Range tiles = ShareOfBlock(tiling_.tiles);
        if (tiles.Size() > 0) {
            CopyIn(TileAt(tiles.begin));
        }
        for (int64_t index = tiles.begin; index < tiles.end; ++index) {
            // MTE2 loads the next tile while V computes this one and MTE3 stores the previous one.
            if (index + 1 < tiles.end) {
                CopyIn(TileAt(index + 1));
            }
            const Tile tile = TileAt(index);
            ComputeTile(tile);
            CopyOut(tile);
        }
    }

private:
    static constexpr int32_t kBuffers = 2;

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
        tile.rows = static_cast<uint32_t>(Min(tiling_.rows - tile.row, tiling_.rowsPerTile));
        tile.cols = static_cast<uint32_t>(Min(tiling_.cols - tile.col, tiling_.colsPerTile));
        tile.pitch = RoundUp(tile.cols, kElemsPerBlock<T>);
        return tile;
    }

    __aicore__ inline void CopyIn(const Tile& tile) {
        AscendC::LocalTensor<T> in = inQueue_.template AllocTensor<T>();
        const Rows halves(tile.rows, tile.cols, 2 * tiling_.cols);
        const Rows grads(tile.rows, tile.cols, tiling_.cols);
        const uint32_t pitch = tiling_.tileElems;
        const int64_t gate = tile.row * tiling_.cols * 2 + tile.col;
        LoadRows(in, xGm_[gate], halves);
        LoadRows(in[pitch], xGm_[gate + tiling_.cols], halves);
        LoadRows(in[2 * pitch], yGradGm_[tile.row * tiling_.cols + tile.col], grads);
        inQueue_.EnQue(in);
    }

    __aicore__ inline void ComputeTile(const Tile& tile) {
        AscendC::LocalTensor<T> in = inQueue_.template DeQue<T>();
        AscendC::LocalTensor<T> out = outQueue_.template AllocTensor<T>();
        compute_.Run(out, in, tile.Elems());
        outQueue_.EnQue(out);
        inQueue_.FreeTensor(in);
    }

    __aicore__ inline void CopyOut(const Tile& tile) {
        AscendC::LocalTensor<T> out = outQueue_.template DeQue<T>();
        const Rows halves(tile.rows, tile.cols, 2 * tiling_.cols);
        const int64_t gate = tile.row * tiling_.cols * 2 + tile.col;
        StoreRows(xGradGm_[gate], out, halves);
        StoreRows(xGradGm_[gate + tiling_.cols], out[tiling_.tileElems], halves);
        outQueue_.FreeTensor(out);
    }

    SwiGluGradTilingData tiling_;
    AscendC::GlobalTensor<T> yGradGm_;
    AscendC::GlobalTensor<T> xGm_;
    AscendC::GlobalTensor<T> xGradGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, kBuffers> inQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, kBuffers> outQueue_;
    Compute<T> compute_;
};

}  // namespace ops::SwiGluGradOp

#endif  // OP_KERNEL_SWI_GLU_GRAD_KERNEL_H
