// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_COMPUTE_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_COMPUTE_H

#include "../common/copy.h"
#include "kernel_operator.h"
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
    __aicore__ inline void Init(const NsaCompressGradBaseTilingData& tiling, AscendC::TPipe* pipe) {
        headDim_ = tiling.headDim;
        blockSize_ = tiling.blockSize;
        inPairs_ = tiling.blockSize <= 2 * tiling.stride;
        slots_ = tiling.windowsPerTile;
        const uint32_t heads = tiling.headsPerGroup;
        pipe->InitBuffer(gradients_, slots_ * heads * headDim_ * sizeof(float));
        pipe->InitBuffer(offsets_, blockSize_ * sizeof(uint32_t));
        pipe->InitBuffer(weights_, heads * blockSize_ * kBlockBytes);
        pipe->InitBuffer(lanes_, heads * blockSize_ * kLanes * sizeof(float));
        pipe->InitBuffer(result_, tiling.rowsPerTile * kLanes * sizeof(float));
        // x_ is moved by kBankShift, so that row i of lanes_ and row i of x_ are in different UB
        // banks.
        pipe->InitBuffer(x_, kBankShift + tiling.rowsPerTile * kLanes * sizeof(float));
    }

    /// Prepares the reading of weights, while MTE2 loads the first ones. A row of weights has
    /// `weightPitch` elements in UB.
    __aicore__ inline void Prepare(uint32_t weightPitch) {
        AscendC::ArithProgression(offsets_.Get<int32_t>(), 0,
                                  static_cast<int32_t>(weightPitch * sizeof(T)),
                                  static_cast<int32_t>(blockSize_));
    }

    /// Starts a group of `heads` heads. Column `head` of `weight` has the weights of the first one.
    __aicore__ inline void Start(const AscendC::LocalTensor<T>& weight, uint32_t head,
                                 uint32_t heads) {
        heads_ = heads;
        // The instruction moves bits and supports half, but not bfloat16_t.
        const AscendC::LocalTensor<half> from = weight.template ReinterpretCast<half>();
        const AscendC::LocalTensor<T> turned = result_.Get<T>();
        const AscendC::LocalTensor<half> to = result_.Get<half>();
        const AscendC::LocalTensor<float> wide = lanes_.Get<float>();
        for (uint32_t i = 0; i < heads_; ++i) {
            AscendC::Gather(to[i * blockSize_], from, offsets_.Get<uint32_t>(),
                            static_cast<uint32_t>((head + i) * sizeof(T)), blockSize_);
        }
        AscendC::PipeBarrier<PIPE_V>();
        const uint32_t count = heads_ * blockSize_;
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
        const AscendC::LocalTensor<float> kept = gradients_.Get<float>();
        const uint32_t slot = SlotOf(first);
        const uint32_t toEnd = Min(count, slots_ - slot);
        AscendC::Cast(kept[slot * width], gradients, AscendC::RoundMode::CAST_NONE, toEnd * width);
        if (toEnd < count) {  // the other slots begin at 0
            AscendC::Cast(kept, gradients[toEnd * width], AscendC::RoundMode::CAST_NONE,
                          (count - toEnd) * width);
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
        FindSteps(tile);
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
        AscendC::PipeBarrier<PIPE_V>();  // there may be no tile after Start()
        for (uint32_t done = 0; done < count; done += kRepeats) {
            const uint32_t repeats = Min(count - done, kRepeats);
            AscendC::WholeReduceSum(weightGrad[done], lanes[done * kLanes],
                                    static_cast<int32_t>(kLanes), static_cast<int32_t>(repeats), 1,
                                    1, kBlocks);
        }
    }

private:
    static constexpr uint32_t kBankShift = 256;
    static constexpr uint8_t kBlocks = 8;         ///< blocks of 32 B in a repeat
    static constexpr uint32_t kWeightFloats = 8;  ///< a weight is a block of equal floats
    static constexpr uint32_t kRepeats = 248;     ///< repeats of one instruction, a multiple of 8

    __aicore__ inline uint32_t SlotOf(int64_t window) const {
        return static_cast<uint32_t>(window % slots_);
    }

    /// An instruction for a part of the rows of one window, without head and columns. All fields
    /// but `rows` are offsets in floats.
    struct Step {
        uint32_t row;       ///< of the first row in x_ and result_
        uint32_t weight;    ///< of its weight in weights_
        uint32_t gradient;  ///< of the window's gradient in gradients_
        uint32_t rows;
    };

    /// Finds the steps of all heads and columns of a tile: which rows get their first product from
    /// which window (products_), to which rows a window adds (sums_), and rows without a first
    /// product (zeros_, only `row` and `rows`). If inPairs_ is false, all products are added to
    /// zeros. If window i overlaps the products of window i - 1, rows of both window i and i + 1
    /// are in the products of window i + 1.
    __aicore__ inline void FindSteps(const Tile& tile) {
        const uint32_t width = heads_ * headDim_;
        const uint32_t count = tile.count;
        const uint32_t slots = slots_;
        const bool inPairs = inPairs_;
        const bool weighted = tile.weighted.begin < tile.weighted.end;
        products_.count = sums_.count = zeros_.count = spans_.count = 0;
        uint32_t slot = SlotOf(tile.first);
        uint32_t done = 0;  // rows before this one have a product or a zero
        for (uint32_t i = 0; i < count; ++i) {
            const Span span = tile.spans[i];
            const uint32_t end = span.row + span.rows;
            const Step all = {span.row * kLanes, span.weightRow * kWeightFloats, slot * width,
                              span.rows};
            slot = slot + 1 < slots ? slot + 1 : 0;
            if (weighted) {
                AddSpan(all, span, tile.cube[i]);
            }
            if (inPairs && span.row >= done) {
                FillZeros(done, span.row);
                products_.Add(all);
                done = end;
                continue;
            }
            const uint32_t stop = inPairs && i + 1 < count ? Min(end, tile.spans[i + 1].row) : end;
            if (inPairs && done < stop) {
                sums_.Add(Part(all, 0, done - span.row));
                products_.Add(Part(all, done - span.row, stop - done));
                if (stop < end) {
                    sums_.Add(Part(all, stop - span.row, end - stop));
                }
                done = stop;
            } else {
                sums_.Add(all);
            }
        }
        FillZeros(done, tile.rows);
    }

    __aicore__ inline void FillZeros(uint32_t row, uint32_t end) {
        if (row < end) {
            zeros_.Add({row * kLanes, 0, 0, end - row});
        }
    }

    /// Adds the rows of a window whose products for weightGrad no cube core computes.
    __aicore__ inline void AddSpan(const Step& all, const Span& span, const RowRange& cube) {
        const uint32_t end = span.row + span.rows;
        const uint32_t cubeBegin = Min(Max(cube.begin, span.row), end);
        const uint32_t cubeEnd = Min(cube.end, end);
        if (cubeEnd <= cubeBegin) {
            spans_.Add(all);
            return;
        }
        if (span.row < cubeBegin) {
            spans_.Add(Part(all, 0, cubeBegin - span.row));
        }
        if (cubeEnd < end) {
            spans_.Add(Part(all, cubeEnd - span.row, end - cubeEnd));
        }
    }

    /// Returns `rows` rows of `step` from row `first` on.
    __aicore__ inline static Step Part(const Step& step, uint32_t first, uint32_t rows) {
        return {step.row + first * kLanes, step.weight + first * kWeightFloats, step.gradient,
                rows};
    }

    __aicore__ inline void RunChunk(const AscendC::LocalTensor<T>& rows, const Tile& tile,
                                    uint32_t head, uint32_t column) {
        const uint32_t offset = head * headDim_ + column;
        const uint64_t mask = Min(headDim_ - column, kLanes);
        const uint8_t repeats = static_cast<uint8_t>(tile.rows);
        const uint8_t rowBlocks = static_cast<uint8_t>(heads_ * headDim_ / kElemsPerBlock<T>);
        const AscendC::LocalTensor<T> chunk = rows[offset];
        const AscendC::LocalTensor<float> x = x_.Get<float>()[kBankShift / sizeof(float)];
        const AscendC::LocalTensor<float> result = result_.Get<float>();
        const AscendC::LocalTensor<float> gradients = gradients_.Get<float>()[offset];
        if (spans_.count > 0) {
            const uint32_t first = tile.weighted.begin;
            AscendC::Cast(x[first * kLanes], rows[first * heads_ * headDim_ + offset],
                          AscendC::RoundMode::CAST_NONE, mask,
                          static_cast<uint8_t>(tile.weighted.end - first),
                          {1, 1, kBlocks, rowBlocks});
        }
        AddToInputGrad(result, gradients, weights_.Get<float>()[head * blockSize_ * kWeightFloats],
                       mask);
        AddToWeightGrad(lanes_.Get<float>()[head * blockSize_ * kLanes], x, gradients, mask);
        if (inPairs_) {
            // An element that is a product, not a sum, may be -0.0. Adding 0.0 makes it 0.0.
            AscendC::Adds(result, result, 0.0f, mask, repeats, {1, 1, kBlocks, kBlocks});
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::Cast(chunk, result, AscendC::RoundMode::CAST_RINT, mask, repeats,
                      {1, 1, rowBlocks, kBlocks});
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void AddToInputGrad(const AscendC::LocalTensor<float>& result,
                                          const AscendC::LocalTensor<float>& gradients,
                                          const AscendC::LocalTensor<float>& weights,
                                          uint64_t mask) {
        for (uint32_t i = 0, end = zeros_.count; i < end; ++i) {
            const Step step = zeros_.steps[i];
            AscendC::Duplicate(result[step.row], 0.0f, static_cast<int32_t>(step.rows * kLanes));
        }
        for (uint32_t i = 0, end = products_.count; i < end; ++i) {
            const Step step = products_.steps[i];
            AscendC::Mul(result[step.row], weights[step.weight], gradients[step.gradient], mask,
                         static_cast<uint8_t>(step.rows), {1, 0, 1, kBlocks, 1, 0});
        }
        AscendC::PipeBarrier<PIPE_V>();
        const bool overlap = !inPairs_;
        for (uint32_t i = 0, end = sums_.count; i < end; ++i) {
            const Step step = sums_.steps[i];
            AscendC::MulAddDst(result[step.row], gradients[step.gradient], weights[step.weight],
                               mask, static_cast<uint8_t>(step.rows), {1, 1, 0, kBlocks, 0, 1});
            if (overlap) {
                AscendC::PipeBarrier<PIPE_V>();
            }
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void AddToWeightGrad(const AscendC::LocalTensor<float>& lanes,
                                           const AscendC::LocalTensor<float>& x,
                                           const AscendC::LocalTensor<float>& gradients,
                                           uint64_t mask) {
        for (uint32_t i = 0, end = spans_.count; i < end; ++i) {
            const Step step = spans_.steps[i];
            AscendC::MulAddDst(lanes[step.weight * kBlocks], x[step.row], gradients[step.gradient],
                               mask, static_cast<uint8_t>(step.rows),
                               {1, 1, 1, kBlocks, kBlocks, 0});
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    /// A list of steps.
    template <uint32_t kMost>
    struct Steps {
        uint32_t count;
        Step steps[kMost];

        __aicore__ inline void Add(const Step& step) { steps[count++] = step; }
    };

    AscendC::TBuf<AscendC::TPosition::VECCALC>
        gradients_;  ///< gradients of windows; window i is in slot i % slots_
    AscendC::TBuf<AscendC::TPosition::VECCALC>
        offsets_;  ///< of a head's weights in a copy, in bytes
    AscendC::TBuf<AscendC::TPosition::VECCALC> weights_;  ///< shape [head][row of a window][8]
    AscendC::TBuf<AscendC::TPosition::VECCALC> lanes_;    ///< shape [head][row of a window][64]
    AscendC::TBuf<AscendC::TPosition::VECCALC> x_;        ///< shape [row][64]
    AscendC::TBuf<AscendC::TPosition::VECCALC> result_;   ///< shape [row][64]
    uint32_t headDim_;
    uint32_t blockSize_;
    uint32_t slots_;
    uint32_t heads_ = 0;
    Steps<kMaxTileWindows> products_;
    Steps<2 * kMaxTileWindows> sums_;
    Steps<kMaxTileWindows + 1> zeros_;
    Steps<2 * kMaxTileWindows> spans_;  ///< rows for whose products V adds to weightGrad
    bool inPairs_;                      ///< no row has more than two windows
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_COMPUTE_H
