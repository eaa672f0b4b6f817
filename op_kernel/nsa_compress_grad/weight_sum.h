// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_WEIGHT_SUM_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_WEIGHT_SUM_H

#include "../common/copy.h"
#include "../common/strided_writer.h"
#include "cube_slots.h"
#include "kernel_operator.h"
#include "split.h"
#include "transpose_squares.h"

namespace ops::NsaCompressGradOp {

/// Computes weightGrad from the partial sums in the workspace. The vector cores share the heads.
/// Partial sums of a head are added as a binary tree, whose shape depends on their number.
template <typename T>
class WeightSum {
public:
    __aicore__ inline WeightSum() {}

    /// `slots` are the slots of the cube cores, behind the partial sums of the vector cores.
    __aicore__ inline void Init(GM_ADDR partials, GM_ADDR slots, GM_ADDR weightGrad,
                                const NsaCompressGradBaseTilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        split_.Init(*tiling);
        partialsGm_.SetGlobalBuffer((__gm__ float*)partials);
        if (tiling->cube.groups > 0) {
            cubeSlots_.Init(slots, tiling);
        }
        weightGradGm_.SetGlobalBuffer((__gm__ T*)weightGrad);
        const uint32_t elems = kSumHeads * tiling->blockSize;
        pipe->InitBuffer(in_, 1, kSlotsBytes);
        pipe->InitBuffer(sums_, elems * sizeof(float));
        pipe->InitBuffer(narrow_, elems * sizeof(T));
        pipe->InitBuffer(out_, 1, elems * sizeof(T));
        writer_.Init(tiling->weightGradStrides[1] == 1 ? 0 : tiling->blockSize, 1, pipe);
    }

    __aicore__ inline void Process() {
        const uint32_t blocks = tiling_->vectorBlocks;
        const uint32_t part = Min(kSumHeads, CeilDiv(tiling_->heads, blocks));
        for (uint32_t first = static_cast<uint32_t>(AscendC::GetBlockIdx()) * part;
             first < tiling_->heads; first += part * blocks) {
            const uint32_t heads = Min(part, tiling_->heads - first);
            AddHeads(first, heads);
            Write(first, heads);
        }
    }

private:
    static constexpr uint32_t kSlotsBytes = 128 * 1024;

    __aicore__ inline void AddHeads(uint32_t firstHead, uint32_t heads) {
        const AscendC::LocalTensor<float> sums = sums_.Get<float>();
        const uint32_t size = tiling_->blockSize;
        AscendC::Duplicate(sums, 0.0f, static_cast<int32_t>(kSumHeads * size));
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t head = 0; head < heads;) {
            const uint32_t group = (firstHead + head) / tiling_->headsPerGroup;
            const uint32_t inGroup = firstHead + head - group * tiling_->headsPerGroup;
            const uint32_t count = Min(tiling_->headsPerGroup - inGroup, heads - head);
            AddGroup(sums[head * size], group, inGroup, count);
            head += count;
        }
        for (uint32_t head = 0; tiling_->cube.groups > 0 && head < heads; ++head) {
            AddCubeSlots(sums[head * size], firstHead + head);
        }
    }

    /// Adds the partial sums of the vector cores for `heads` heads of a group.
    __aicore__ inline void AddGroup(const AscendC::LocalTensor<float>& sum, uint32_t group,
                                    uint32_t firstHead, uint32_t heads) {
        const uint32_t size = tiling_->blockSize;
        const uint32_t slotFloats = tiling_->headsPerGroup * size;
        const int64_t most = kSlotsBytes / sizeof(float) / (heads * size);
        const int64_t end = split_.EndSlot(group);
        for (int64_t slot = split_.FirstSlot(group); slot < end; slot += most) {
            const uint32_t slots = static_cast<uint32_t>(Min(most, end - slot));
            AscendC::LocalTensor<float> in = in_.AllocTensor<float>();
            LoadRows(in, partialsGm_[slot * slotFloats + firstHead * size],
                     Rows(slots, heads * size, slotFloats));
            AddRows(sum, in, slots, heads * size);
        }
    }

    __aicore__ inline void AddCubeSlots(const AscendC::LocalTensor<float>& sum, uint32_t head) {
        const uint32_t size = tiling_->blockSize;
        const uint32_t rows = cubeSlots_.RowsOfSlot();
        const int64_t most = kSlotsBytes / sizeof(float) / (rows * size);
        const Range slots = cubeSlots_.SlotsOf(head);
        for (int64_t slot = slots.begin; slot < slots.end; slot += most) {
            const uint32_t count = static_cast<uint32_t>(Min(most, slots.end - slot));
            AscendC::LocalTensor<float> in = in_.AllocTensor<float>();
            cubeSlots_.CopyIn(in, head, slot, count);
            AddRows(sum, in, count * rows, size);
        }
    }

    /// Adds `count` rows of `floats` floats, which MTE2 loads, to the sum, and frees them.
    __aicore__ inline void AddRows(const AscendC::LocalTensor<float>& sum,
                                   AscendC::LocalTensor<float>& rows, uint32_t count,
                                   uint32_t floats) {
        in_.EnQue(rows);
        rows = in_.DeQue<float>();
        while (count > 1) {
            const uint32_t half = (count + 1) / 2;
            AscendC::Add(rows, rows, rows[half * floats],
                         static_cast<int32_t>((count - half) * floats));
            AscendC::PipeBarrier<PIPE_V>();
            count = half;
        }
        AscendC::Add(sum, sum, rows, static_cast<int32_t>(floats));
        AscendC::PipeBarrier<PIPE_V>();
        in_.FreeTensor(rows);
    }

    /// Writes the sums to weightGrad. The head is the inner index of weightGrad, but the outer
    /// index of the sums.
    __aicore__ inline void Write(uint32_t firstHead, uint32_t heads) {
        const int64_t* strides = tiling_->weightGradStrides;
        const AscendC::GlobalTensor<T> gm = weightGradGm_[firstHead * strides[1]];
        if (strides[1] != 1) {
            return WriteColumns(gm, heads);
        }
        const uint32_t size = tiling_->blockSize;
        const AscendC::LocalTensor<T> narrow = narrow_.Get<T>();
        AscendC::Cast(narrow, sums_.Get<float>(), AscendC::RoundMode::CAST_RINT, kSumHeads * size);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::LocalTensor<T> out = out_.template AllocTensor<T>();
        TransposeSquares(out, kSquareEdge, kSquareEdge * kSquareEdge, narrow, size, kSquareEdge,
                         size / kSquareEdge);
        out_.EnQue(out);
        out = out_.template DeQue<T>();
        // In UB each row fills one block, so there is no gap between rows of up to 16 heads.
        StoreRows(gm, out, Rows(size, heads, strides[0]));
        out_.FreeTensor(out);
    }

    /// Writes weightGrad head by head, with the stride of its rows. If this stride is 1, MTE3 reads
    /// `out` directly.
    __aicore__ inline void WriteColumns(const AscendC::GlobalTensor<T>& gm, uint32_t heads) {
        const uint32_t size = tiling_->blockSize;
        const int64_t* strides = tiling_->weightGradStrides;
        AscendC::LocalTensor<T> out = out_.template AllocTensor<T>();
        AscendC::Cast(out, sums_.Get<float>(), AscendC::RoundMode::CAST_RINT, kSumHeads * size);
        AscendC::PipeBarrier<PIPE_V>();
        out_.EnQue(out);
        out = out_.template DeQue<T>();
        for (uint32_t head = 0; head < heads; ++head) {
            writer_.Write(gm[head * strides[1]], strides[0], out[head * size], size);
        }
        out_.FreeTensor(out);
    }

    const NsaCompressGradBaseTilingData* tiling_;
    Split split_;
    CubeSlots cubeSlots_;
    StridedWriter writer_;
    AscendC::GlobalTensor<float> partialsGm_;
    AscendC::GlobalTensor<T> weightGradGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sums_;    ///< shape [16 heads][blockSize]
    AscendC::TBuf<AscendC::TPosition::VECCALC> narrow_;  ///< the sums, rounded to T
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;   ///< shape [blockSize][16 heads]
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_WEIGHT_SUM_H
