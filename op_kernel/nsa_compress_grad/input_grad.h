// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_INPUT_GRAD_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_INPUT_GRAD_H

#include "../common/copy.h"
#include "../common/l2.h"
#include "../common/strided_writer.h"
#include "compute.h"
#include "kernel_operator.h"
#include "split.h"

namespace ops::NsaCompressGradOp {

/// Computes inputGrad, and the block's partial sums of weightGrad. T: half or bfloat16_t. A tile of
/// rows is loaded once, used for weightGrad, replaced by inputGrad in place and copied out. Several
/// tiles need the gradient of the same window, so each gradient is loaded once and stays in UB.
template <typename T>
class InputGrad {
public:
    __aicore__ inline InputGrad() {}

    __aicore__ inline void Init(GM_ADDR outputGrad, GM_ADDR input, GM_ADDR weight, GM_ADDR ends,
                                GM_ADDR inputGrad, GM_ADDR partials,
                                const NsaCompressGradBaseTilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        split_.Init(*tiling);
        outputGradGm_.SetGlobalBuffer((__gm__ T*)outputGrad);
        // Cube cores read the same gradients.
        outputGradGm_ = PastL2(outputGradGm_, tiling->readsPastL2 != 0 && tiling->cube.groups == 0);
        inputGm_.SetGlobalBuffer((__gm__ T*)input);
        inputGm_ = PastL2(inputGm_, tiling->readsPastL2 != 0);
        weightGm_.SetGlobalBuffer((__gm__ T*)weight);
        inputGradGm_.SetGlobalBuffer((__gm__ T*)inputGrad);
        inputGradPastL2_ = PastL2(inputGradGm_);
        partialsGm_.SetGlobalBuffer((__gm__ float*)partials);
        const uint32_t rowBytes = tiling->headsPerGroup * tiling->headDim * sizeof(T);
        for (uint32_t i = 0; i < kBuffers; ++i) {
            pipe->InitBuffer(buffers_[i], 1, tiling->rowsPerTile * rowBytes);
        }
        pipe->InitBuffer(gradients_, kGradientBuffers, tiling->windowsPerTile * rowBytes);
        pipe->InitBuffer(weights_, 1, tiling->blockSize * kBlockBytes);
        pipe->InitBuffer(partials_, 1, tiling->headsPerGroup * tiling->blockSize * sizeof(float));
        compute_.Init(*tiling, pipe);
        windows_.Init(ends, *tiling, pipe);
        writer_.Init(tiling->inputGradStrides[2] == 1 ? 0 : tiling->headDim, 1, pipe);
    }

    /// `start` is a position before the block's first row.
    __aicore__ inline void Process(NsaCompressGradStart start) {
        const Range units = split_.UnitsOfBlock();
        const int64_t perGroup = split_.UnitsPerGroup();
        int64_t unit = units.begin;
        while (unit < units.end) {
            const int64_t group = unit / perGroup;
            const int64_t groupEnd = Min(units.end, (group + 1) * perGroup);
            windows_.Seek(start);
            Run(group, (unit - group * perGroup) * kUnitRows,
                Min(tiling_->rows, (groupEnd - group * perGroup) * kUnitRows));
            unit = groupEnd;
            start = NsaCompressGradStart{0, 0, 0};
        }
    }

private:
    static constexpr uint32_t kBuffers = 3;
    static constexpr uint32_t kGradientBuffers = 2;
    /// A tile is loaded into and copied out of the same buffer. Each buffer has its own queue: a
    /// common queue would return the next tile, which is already loaded, before the computed tile.
    using TileQueue = AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1>;

    /// Processes the rows [row, end) of one group of heads.
    __aicore__ inline void Run(int64_t group, int64_t row, int64_t end) {
        firstHead_ = group * tiling_->headsPerGroup;
        heads_ = static_cast<uint32_t>(Min(tiling_->headsPerGroup, tiling_->heads - firstHead_));
        windowsIn_ = 0;
        StartCompute();
        Tile tiles[kBuffers];
        uint32_t now = 0;
        row = windows_.NextRow(row, end);
        if (row < end) {
            CopyIn(row, end, &tiles[now], buffers_[now]);
        }
        // MTE2 loads the next tile while this one is computed and the previous one is copied out.
        while (row < end) {
            row = windows_.NextRow(row + tiles[now].rows, end);
            const uint32_t next = now + 1 < kBuffers ? now + 1 : 0;
            if (row < end) {
                CopyIn(row, end, &tiles[next], buffers_[next]);
            }
            ComputeTile(tiles[now], buffers_[now]);
            CopyOut(tiles[now], buffers_[now]);
            now = next;
        }
        WritePartial(AscendC::GetBlockIdx() + group);
    }

    __aicore__ inline void StartCompute() {
        AscendC::LocalTensor<T> weight = weights_.template AllocTensor<T>();
        const uint32_t all = tiling_->heads;
        // Rows of a few weights would be in one block of GM, which MTE2 then loads many times.
        const bool whole = all <= kElemsPerBlock<T>;
        LoadRows(
            weight, whole ? weightGm_ : weightGm_[firstHead_],
            whole ? Rows(1, tiling_->blockSize * all, all) : Rows(tiling_->blockSize, heads_, all));
        weights_.EnQue(weight);
        if (!prepared_) {
            compute_.Prepare(whole ? all : kElemsPerBlock<T>);
            prepared_ = true;
        }
        weight = weights_.template DeQue<T>();
        compute_.Start(weight, whole ? static_cast<uint32_t>(firstHead_) : 0, heads_);
        weights_.FreeTensor(weight);
    }

    /// Loads the tile that starts at `row`, and the gradients of the windows that no earlier tile
    /// has needed.
    __aicore__ inline void CopyIn(int64_t row, int64_t end, Tile* tile, TileQueue& queue) {
        const int64_t rows = windows_.RowsFrom(row, Min(tiling_->rowsPerTile, end - row));
        windows_.Find(row, static_cast<uint32_t>(rows), tile);
        const int64_t windowsEnd = tile->first + tile->count;
        tile->fresh = static_cast<uint32_t>(Max(0, windowsEnd - Max(tile->first, windowsIn_)));
        if (tile->fresh > 0) {
            // These come first: the rows wait until MTE3 has read the buffer.
            AscendC::LocalTensor<T> gradients = gradients_.template AllocTensor<T>();
            LoadHeads(gradients, outputGradGm_, windowsEnd - tile->fresh, tile->fresh);
            gradients_.EnQue(gradients);
            windowsIn_ = windowsEnd;
        }
        AscendC::LocalTensor<T> in = queue.template AllocTensor<T>();
        const RowRange needed = tile->weighted;
        if (needed.begin < needed.end) {  // nothing reads the other rows
            LoadHeads(in[needed.begin * heads_ * tiling_->headDim], inputGm_, row + needed.begin,
                      needed.end - needed.begin);
        }
        queue.template EnQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN>(in);
    }

    /// Loads `rows` rows, from row `row` on, but only the columns of the group's heads.
    __aicore__ inline void LoadHeads(const AscendC::LocalTensor<T>& dst,
                                     const AscendC::GlobalTensor<T>& src, int64_t row,
                                     uint32_t rows) {
        const uint32_t dim = tiling_->headDim;
        LoadRows(dst, src[(row * tiling_->heads + firstHead_) * dim],
                 Rows(rows, heads_ * dim, tiling_->heads * dim));
    }

    __aicore__ inline void ComputeTile(const Tile& tile, TileQueue& queue) {
        using AscendC::TPosition;
        if (tile.fresh > 0) {
            AscendC::LocalTensor<T> gradients = gradients_.template DeQue<T>();
            compute_.AddWindows(gradients, tile.first + tile.count - tile.fresh, tile.fresh);
            gradients_.FreeTensor(gradients);
        }
        AscendC::LocalTensor<T> rows = queue.template DeQue<TPosition::GM, TPosition::VECIN, T>();
        compute_.Run(rows, tile);
        queue.template EnQue<TPosition::VECOUT, TPosition::GM>(rows);
    }

    __aicore__ inline void CopyOut(const Tile& tile, TileQueue& queue) {
        using AscendC::TPosition;
        AscendC::LocalTensor<T> rows = queue.template DeQue<TPosition::VECOUT, TPosition::GM, T>();
        const int64_t* strides = tiling_->inputGradStrides;
        // Tiles that bypass L2 come between those that stay in it, so HBM is busy all the time.
        const bool through = tiles_++ % kTilesOfPlan < tiling_->tilesThroughL2;
        const AscendC::GlobalTensor<T> first =
            (through ? inputGradGm_
                     : inputGradPastL2_)[tile.row * strides[0] + firstHead_ * strides[1]];
        const uint32_t dim = tiling_->headDim;
        if (strides[2] == 1 && strides[1] == dim) {
            StoreRows(first, rows, Rows(tile.rows, heads_ * dim, strides[0]));
        } else {
            for (uint32_t head = 0; head < heads_; ++head) {
                CopyOutHead(first[head * strides[1]], rows[head * dim], tile.rows);
            }
        }
        queue.FreeTensor(rows);
    }

    __aicore__ inline void CopyOutHead(const AscendC::GlobalTensor<T>& gm,
                                       const AscendC::LocalTensor<T>& rows, uint32_t count) {
        const uint32_t dim = tiling_->headDim;
        const int64_t* strides = tiling_->inputGradStrides;
        if (strides[2] == 1) {
            const uint32_t otherHeads = (heads_ - 1) * dim / kElemsPerBlock<T>;
            StoreRows(gm, rows, Rows(count, dim, strides[0], otherHeads));
            return;
        }
        for (uint32_t row = 0; row < count; ++row) {
            writer_.Write(gm[row * strides[0]], strides[2], rows[row * heads_ * dim], dim);
        }
    }

    __aicore__ inline void WritePartial(int64_t slot) {
        AscendC::LocalTensor<float> partial = partials_.template AllocTensor<float>();
        compute_.Finish(partial);
        partials_.EnQue(partial);
        partial = partials_.template DeQue<float>();
        const uint32_t slotFloats = tiling_->headsPerGroup * tiling_->blockSize;
        Store(partialsGm_[slot * slotFloats], partial, heads_ * tiling_->blockSize);
        partials_.FreeTensor(partial);
    }

    const NsaCompressGradBaseTilingData* tiling_;
    Split split_;
    Windows windows_;
    Compute<T> compute_;
    StridedWriter writer_;
    AscendC::GlobalTensor<T> outputGradGm_;
    AscendC::GlobalTensor<T> inputGm_;
    AscendC::GlobalTensor<T> weightGm_;
    AscendC::GlobalTensor<T> inputGradGm_;
    AscendC::GlobalTensor<T> inputGradPastL2_;  ///< the same tensor
    AscendC::GlobalTensor<float> partialsGm_;
    TileQueue buffers_[kBuffers];
    AscendC::TQue<AscendC::TPosition::VECIN, kGradientBuffers> gradients_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> weights_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> partials_;
    bool prepared_ = false;
    uint32_t tiles_ = 0;  ///< number of tiles that were copied out
    int64_t firstHead_ = 0;
    int64_t windowsIn_ = 0;  ///< all windows below this number have been loaded
    uint32_t heads_ = 0;     ///< number of heads in this group; the last group may be smaller
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_INPUT_GRAD_H
