// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_COMPUTE_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_COMPUTE_H

#include "../common/copy.h"
#include "kernel_operator.h"
#include "transpose_squares.h"
#include "windows.h"

namespace ops::NsaCompressGradOp {

/// The arithmetic on one tile of one group of heads, and what it needs to keep from tile to tile.
///
/// Works on 64 columns of one head at a time, a row per repeat: an instruction covers all rows that
/// a window shares with the tile. The window's gradient is read with repeat stride 0, the weight of
/// a row, one block of equal floats, with block stride 0. weightGrad is summed over D only at the
/// end: until then its 64 lanes take all chunks of D of all windows.
template <typename T>
class Compute {
public:
    __aicore__ inline void Init(const NsaCompressGradTilingData& tiling, AscendC::TPipe* pipe) {
        headDim_ = tiling.headDim;
        blockSize_ = tiling.blockSize;
        slots_ = tiling.windowsPerTile;
        const uint32_t heads = tiling.headsPerGroup;
        pipe->InitBuffer(gradients_, slots_ * heads * headDim_ * sizeof(float));
        pipe->InitBuffer(weights_, heads * blockSize_ * kBlockBytes);
        pipe->InitBuffer(lanes_, heads * blockSize_ * kLanes * sizeof(float));
        pipe->InitBuffer(result_, tiling.rowsPerTile * kLanes * sizeof(float));
        // Half a turn of the banks further on, lest row i of lanes_ and row i of x_ meet in them.
        pipe->InitBuffer(x_, kBankShift + tiling.rowsPerTile * kLanes * sizeof(float));
    }

    /// Starts a run: `weight` has the weights of up to 16 heads in each of blockSize rows.
    __aicore__ inline void Start(const AscendC::LocalTensor<T>& weight, uint32_t heads) {
        heads_ = heads;
        AscendC::LocalTensor<T> turned = result_.Get<T>();
        AscendC::LocalTensor<float> wide = lanes_.Get<float>();
        const uint32_t count = heads * blockSize_;
        TransposeSquares(turned, blockSize_, kSquareEdge, weight, kSquareEdge,
                         kSquareEdge * kSquareEdge, blockSize_ / kSquareEdge);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(wide, turned, AscendC::RoundMode::CAST_NONE, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Brcb(weights_.Get<float>(), wide, static_cast<uint8_t>(count / 8), {1, 8});
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Duplicate(wide, 0.0f, static_cast<int32_t>(count * kLanes));
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// Takes in the gradients of `count` windows from number `first` on.
    __aicore__ inline void AddWindows(const AscendC::LocalTensor<T>& gradients, int64_t first,
                                      uint32_t count) {
        const uint32_t width = heads_ * headDim_;
        AscendC::LocalTensor<float> kept = gradients_.Get<float>();
        for (uint32_t i = 0; i < count; ++i) {
            AscendC::Cast(kept[SlotOf(first + i) * width], gradients[i * width],
                          AscendC::RoundMode::CAST_NONE, width);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// Replaces the tile's rows of input by those of inputGrad, and adds to weightGrad.
    __aicore__ inline void Run(const AscendC::LocalTensor<T>& rows, const Tile& tile) {
        if (tile.count == 0) {
            AscendC::Duplicate(rows.template ReinterpretCast<int16_t>(), static_cast<int16_t>(0),
                               static_cast<int32_t>(tile.rows * heads_ * headDim_));
            return;
        }
        for (uint32_t head = 0; head < heads_; ++head) {
            for (uint32_t column = 0; column < headDim_; column += kLanes) {
                RunChunk(rows, tile, head, column);
            }
        }
    }

    /// The run's part of weightGrad, heads_ * blockSize floats.
    __aicore__ inline void Finish(const AscendC::LocalTensor<float>& weightGrad) {
        const AscendC::LocalTensor<float> lanes = lanes_.Get<float>();
        const uint32_t count = heads_ * blockSize_;
        for (uint32_t done = 0; done < count; done += kRepeats) {
            const uint32_t repeats = Min(count - done, kRepeats);
            AscendC::WholeReduceSum(weightGrad[done], lanes[done * kLanes],
                                    static_cast<int32_t>(kLanes), static_cast<int32_t>(repeats), 1,
                                    1, kBlocks);
        }
    }

private:
    static constexpr uint32_t kBankShift = 256;
    static constexpr uint8_t kBlocks = 8;      ///< of a repeat
    static constexpr uint32_t kRepeats = 248;  ///< of one instruction, a multiple of 8

    __aicore__ inline uint32_t SlotOf(int64_t window) const {
        return static_cast<uint32_t>(window % slots_);
    }

    __aicore__ inline void RunChunk(const AscendC::LocalTensor<T>& rows, const Tile& tile,
                                    uint32_t head, uint32_t column) {
        const uint32_t width = heads_ * headDim_;
        const uint32_t offset = head * headDim_ + column;
        const uint64_t mask = Min(headDim_ - column, kLanes);
        const uint8_t repeats = static_cast<uint8_t>(tile.rows);
        const uint8_t rowBlocks = static_cast<uint8_t>(width / kSquareEdge);
        AscendC::LocalTensor<float> x = x_.Get<float>()[kBankShift / sizeof(float)];
        AscendC::LocalTensor<float> result = result_.Get<float>();
        AscendC::Cast(x, rows[offset], AscendC::RoundMode::CAST_NONE, mask, repeats,
                      {1, 1, kBlocks, rowBlocks});
        AscendC::Duplicate(result, 0.0f, static_cast<int32_t>(tile.rows * kLanes));
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<float> gradients = gradients_.Get<float>();
        uint32_t slot = SlotOf(tile.first);
        for (uint32_t i = 0; i < tile.count; ++i) {
            AddWindow(result, x, gradients[slot * width + offset], head, tile.spans[i], mask);
            slot = slot + 1 == slots_ ? 0 : slot + 1;
        }
        AscendC::Cast(rows[offset], result, AscendC::RoundMode::CAST_RINT, mask, repeats,
                      {1, 1, rowBlocks, kBlocks});
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void AddWindow(const AscendC::LocalTensor<float>& result,
                                     const AscendC::LocalTensor<float>& x,
                                     const AscendC::LocalTensor<float>& gradient, uint32_t head,
                                     const Span& span, uint64_t mask) {
        const uint32_t row = head * blockSize_ + span.weightRow;
        const uint8_t repeats = static_cast<uint8_t>(span.rows);
        const AscendC::LocalTensor<float> weight =
            weights_.Get<float>()[row * kElemsPerBlock<float>];
        const AscendC::LocalTensor<float> lanes = lanes_.Get<float>()[row * kLanes];
        AscendC::MulAddDst(result[span.row * kLanes], gradient, weight, mask, repeats,
                           {1, 1, 0, kBlocks, 0, 1});
        AscendC::MulAddDst(lanes, x[span.row * kLanes], gradient, mask, repeats,
                           {1, 1, 1, kBlocks, kBlocks, 0});
        AscendC::PipeBarrier<PIPE_V>();
    }

    AscendC::TBuf<AscendC::TPosition::VECCALC> gradients_;  ///< of windows, slot = number % slots_
    AscendC::TBuf<AscendC::TPosition::VECCALC> weights_;    ///< [head][row of a window][block]
    AscendC::TBuf<AscendC::TPosition::VECCALC> lanes_;      ///< [head][row of a window][64]
    AscendC::TBuf<AscendC::TPosition::VECCALC> x_;          ///< [row][64]
    AscendC::TBuf<AscendC::TPosition::VECCALC> result_;     ///< [row][64]
    uint32_t headDim_;
    uint32_t blockSize_;
    uint32_t slots_;
    uint32_t heads_ = 0;
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_COMPUTE_H
