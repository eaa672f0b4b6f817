// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_COMPUTE_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_COMPUTE_H

#include "../common/copy.h"
#include "kernel_operator.h"
#include "transpose_squares.h"
#include "windows.h"

namespace ops::NsaCompressGradOp {

/// Computes the tiles of one group of heads. Gradients of windows and partial sums stay in UB
/// between tiles. One instruction processes 64 columns of a head in all rows that a window and the
/// tile share, one row per repeat. The gradient of the window is read with repeat stride 0. The
/// weight of a row is a block of 8 equal floats, read with block stride 0. Each weight has 64
/// partial sums of weightGrad; only Finish() adds them. If windows are at most two strides long, no
/// row has more than two windows. Then every second window writes its products to all its rows. Any
/// other window writes to rows that have no product yet, and adds to the rest of its rows. A sum of
/// two products does not depend on their order.
template <typename T>
class Compute {
public:
    __aicore__ inline void Init(const NsaCompressGradTilingData& tiling, AscendC::TPipe* pipe) {
        headDim_ = tiling.headDim;
        blockSize_ = tiling.blockSize;
        inPairs_ = tiling.blockSize <= 2 * tiling.stride;
        slots_ = tiling.windowsPerTile;
        const uint32_t heads = tiling.headsPerGroup;
        pipe->InitBuffer(gradients_, slots_ * heads * headDim_ * sizeof(float));
        pipe->InitBuffer(weights_, heads * blockSize_ * kBlockBytes);
        pipe->InitBuffer(lanes_, heads * blockSize_ * kLanes * sizeof(float));
        pipe->InitBuffer(result_, tiling.rowsPerTile * kLanes * sizeof(float));
        // x_ is moved by kBankShift, so that row i of lanes_ and row i of x_ are in different UB
        // banks.
        pipe->InitBuffer(x_, kBankShift + tiling.rowsPerTile * kLanes * sizeof(float));
    }

    /// Starts a group of heads. `weight` has blockSize rows with the weights of up to 16 heads.
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
        // No barrier follows: in every tile, a barrier precedes the first addition to `wide`.
        AscendC::Duplicate(wide, 0.0f, static_cast<int32_t>(count * kLanes));
    }

    /// Converts the gradients of `count` windows, from window `first` on, to float and stores them.
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

    /// Replaces the tile's rows of input by rows of inputGrad, and adds to weightGrad.
    __aicore__ inline void Run(const AscendC::LocalTensor<T>& rows, const Tile& tile) {
        if (tile.count == 0) {
            AscendC::Duplicate(rows.template ReinterpretCast<int16_t>(), static_cast<int16_t>(0),
                               static_cast<int32_t>(tile.rows * heads_ * headDim_));
            AscendC::PipeBarrier<PIPE_V>();  // StridedWriter may read these rows with V
            return;
        }
        firstSlot_ = SlotOf(tile.first);
        FindStarts(tile);
        for (uint32_t head = 0; head < heads_; ++head) {
            for (uint32_t column = 0; column < headDim_; column += kLanes) {
                RunChunk(rows, tile, head, column);
            }
        }
    }

    /// Writes the partial sums of weightGrad since Start(): heads_ * blockSize_ floats.
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
    static constexpr uint8_t kBlocks = 8;      ///< blocks of 32 B in a repeat
    static constexpr uint32_t kRepeats = 248;  ///< repeats of one instruction, a multiple of 8

    __aicore__ inline uint32_t SlotOf(int64_t window) const {
        return static_cast<uint32_t>(window % slots_);
    }

    /// The rows [begin, end) of a tile.
    struct RowRange {
        uint32_t begin;
        uint32_t end;
    };

    /// Sets starts_[i] to the rows whose first product is of window i; no rows if !inPairs_. If
    /// window i overlaps starts_[i - 1], rows of both window i and i + 1 are in starts_[i + 1].
    __aicore__ inline void FindStarts(const Tile& tile) {
        uint32_t done = 0;
        for (uint32_t i = 0; i < tile.count; ++i) {
            const Span& span = tile.spans[i];
            const uint32_t begin = Max(span.row, done);
            uint32_t end = span.row + span.rows;
            if (span.row < done && i + 1 < tile.count) {
                end = Min(end, tile.spans[i + 1].row);
            }
            starts_[i] = {begin, inPairs_ ? Max(begin, end) : begin};
            done = starts_[i].end;
        }
    }

    /// Returns the part of `span` that lies in `rows`.
    __aicore__ inline static Span Part(const Span& span, const RowRange& rows) {
        return {rows.begin, rows.end - rows.begin, span.weightRow + rows.begin - span.row};
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
        StartRows(result, tile, head, offset, mask);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < tile.count; ++i) {
            const Span& span = tile.spans[i];
            const AscendC::LocalTensor<float> gradient = GradientOf(i, offset);
            const uint32_t end = span.row + span.rows;
            const RowRange& start = starts_[i];
            if (start.begin == start.end) {
                AddRows(result, head, span, gradient, mask);
            } else {
                AddRows(result, head, Part(span, {span.row, start.begin}), gradient, mask);
                AddRows(result, head, Part(span, {start.end, end}), gradient, mask);
            }
            AscendC::MulAddDst(LanesOf(head, span), x[span.row * kLanes], gradient, mask,
                               static_cast<uint8_t>(span.rows), {1, 1, 1, kBlocks, kBlocks, 0});
            AscendC::PipeBarrier<PIPE_V>();
        }
        if (inPairs_) {
            // An element that is a product, not a sum, may be -0.0. Adding 0.0 makes it 0.0.
            AscendC::Adds(result, result, 0.0f, mask, repeats, {1, 1, kBlocks, kBlocks});
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::Cast(rows[offset], result, AscendC::RoundMode::CAST_RINT, mask, repeats,
                      {1, 1, rowBlocks, kBlocks});
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void AddRows(const AscendC::LocalTensor<float>& result, uint32_t head,
                                   const Span& span, const AscendC::LocalTensor<float>& gradient,
                                   uint64_t mask) {
        if (span.rows > 0) {
            AscendC::MulAddDst(result[span.row * kLanes], gradient, WeightsOf(head, span), mask,
                               static_cast<uint8_t>(span.rows), {1, 1, 0, kBlocks, 0, 1});
        }
    }

    /// Writes the products of the rows in starts_, and zeros to all other rows.
    __aicore__ inline void StartRows(const AscendC::LocalTensor<float>& result, const Tile& tile,
                                     uint32_t head, uint32_t offset, uint64_t mask) {
        uint32_t done = 0;
        for (uint32_t i = 0; i < tile.count; ++i) {
            const Span span = Part(tile.spans[i], starts_[i]);
            if (span.rows > 0) {
                FillZeros(result, done, span.row);
                AscendC::Mul(result[span.row * kLanes], WeightsOf(head, span),
                             GradientOf(i, offset), mask, static_cast<uint8_t>(span.rows),
                             {1, 0, 1, kBlocks, 1, 0});
                done = span.row + span.rows;
            }
        }
        FillZeros(result, done, tile.rows);
    }

    __aicore__ inline void FillZeros(const AscendC::LocalTensor<float>& result, uint32_t row,
                                     uint32_t end) {
        if (row < end) {
            AscendC::Duplicate(result[row * kLanes], 0.0f,
                               static_cast<int32_t>((end - row) * kLanes));
        }
    }

    __aicore__ inline AscendC::LocalTensor<float> GradientOf(uint32_t i, uint32_t offset) {
        const uint32_t slot = firstSlot_ + i;
        return gradients_
            .Get<float>()[(slot < slots_ ? slot : slot - slots_) * heads_ * headDim_ + offset];
    }
    __aicore__ inline AscendC::LocalTensor<float> WeightsOf(uint32_t head, const Span& span) {
        const uint32_t row = head * blockSize_ + span.weightRow;
        return weights_.Get<float>()[row * kElemsPerBlock<float>];
    }
    __aicore__ inline AscendC::LocalTensor<float> LanesOf(uint32_t head, const Span& span) {
        return lanes_.Get<float>()[(head * blockSize_ + span.weightRow) * kLanes];
    }

    AscendC::TBuf<AscendC::TPosition::VECCALC>
        gradients_;  ///< gradients of windows; window i is in slot i % slots_
    AscendC::TBuf<AscendC::TPosition::VECCALC> weights_;  ///< shape [head][row of a window][8]
    AscendC::TBuf<AscendC::TPosition::VECCALC> lanes_;    ///< shape [head][row of a window][64]
    AscendC::TBuf<AscendC::TPosition::VECCALC> x_;        ///< shape [row][64]
    AscendC::TBuf<AscendC::TPosition::VECCALC> result_;   ///< shape [row][64]
    uint32_t headDim_;
    uint32_t blockSize_;
    uint32_t slots_;
    uint32_t heads_ = 0;
    uint32_t firstSlot_;  ///< slot of the tile's first window
    RowRange starts_[kMaxTileWindows];
    bool inPairs_;  ///< no row has more than two windows
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_COMPUTE_H
