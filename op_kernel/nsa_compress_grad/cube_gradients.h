// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_GRADIENTS_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_GRADIENTS_H

#include "../common/copy.h"
#include "../common/l2.h"
#include "cube_groups.h"
#include "cube_operands.h"
#include "cube_share.h"
#include "cube_slots.h"
#include "cube_weights.h"
#include "kernel_operator.h"

namespace ops::NsaCompressGradOp {

/// Computes partial sums of weightGrad on a cube core. A tile has the rows of some groups. The core
/// multiplies the rows of outputGrad of all windows that overlap them by these rows of input,
/// transposed. So element (window, row) of the product is the sum over D that belongs to row
/// `row` of the tile and this window. The products of all tiles are added in L0C. Window w of the
/// tile overlaps only groups w - overlaps + 1 to w; CubeSlots reads the sums of these elements, and
/// nothing reads the others. All windows that overlap a group exist, so a sum has no factor that is
/// not of its window, whatever the values are (a zero instead would make NaN of infinity).
template <typename T>
class CubeGradients {
public:
    __aicore__ inline void Init(GM_ADDR outputGrad, GM_ADDR input, GM_ADDR ends, GM_ADDR inputGrad,
                                GM_ADDR weights, GM_ADDR slots,
                                const NsaCompressGradBaseTilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        outputGradGm_.SetGlobalBuffer((__gm__ T*)outputGrad);
        outputGradGm_ = PastL2(outputGradGm_, false);
        inputGm_.SetGlobalBuffer((__gm__ T*)input);
        inputGm_ = PastL2(inputGm_, tiling->readsPastL2 != 0);
        inputGradGm_.SetGlobalBuffer((__gm__ T*)inputGrad);
        inputGradPastL2_ = PastL2(inputGradGm_);
        slotsGm_.SetGlobalBuffer((__gm__ float*)slots);
        share_.Init(*tiling, AscendC::GetBlockIdx());
        weightElems_ = CubeWeightElems(*tiling);
        weightsGm_.SetGlobalBuffer(
            (__gm__ T*)weights + AscendC::GetBlockIdx() * tiling->cube.headsOfBlock * weightElems_);
        layout_.Init(*tiling);
        groups_.Init(ends, *tiling);
        overlaps_ = CeilDiv(tiling->blockSize, tiling->stride);
        const uint32_t width = tiling->cube.heads * tiling->headDim;
        rowsAt_ = kCubeWindows * width;
        bufferElems_ = rowsAt_ + layout_.columns * width;
        weightsAt_ = kBuffers * bufferElems_;
        const bool both = tiling->cube.inputGrad != 0;
        const uint32_t weightElems = both ? tiling->cube.heads * weightElems_ : 0;
        pipe->InitBuffer(l1_, (weightsAt_ + weightElems) * sizeof(T));
        operands_.Init(layout_.columns, tiling->cube.heads,
                       both ? tiling->stride * tiling->headDim : 0, pipe);
        for (uint32_t i = 0; i < kBuffers; ++i) {
            AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(static_cast<int32_t>(i));
        }
    }

    __aicore__ inline void Process() {
        const int64_t perGroup = tiling_->cube.groups;
        const Range pieces = share_.pieces;
        if (tiling_->cube.inputGrad != 0) {
            AscendC::CrossCoreWaitFlag(kFlagWeights);
        }
        for (int64_t piece = pieces.begin; piece < pieces.end;) {
            const int64_t headGroup = piece / perGroup;
            const int64_t end = Min(pieces.end, (headGroup + 1) * perGroup);
            Run(headGroup, piece - headGroup * perGroup, end - piece);
            piece = end;
        }
        for (uint32_t i = 0; i < kBuffers; ++i) {
            AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(static_cast<int32_t>(i));
        }
        operands_.Finish();
    }

private:
    static constexpr uint32_t kBuffers = 2;
    static constexpr int32_t kWeightsEvent = kBuffers;  ///< the buffers have the events before it
    static constexpr uint32_t kEdge = 16;               ///< columns of a stripe

    /// Processes `count` groups of rows from group `first` on, for one group of heads.
    __aicore__ inline void Run(int64_t headGroup, int64_t first, int64_t count) {
        firstHead_ = static_cast<uint32_t>(headGroup) * tiling_->cube.heads;
        heads_ = Min(tiling_->cube.heads, tiling_->heads - firstHead_);
        if (tiling_->cube.inputGrad != 0) {
            LoadWeights();
        }
        groups_.Seek(first);
        CubeTile tile = groups_.Next(Min(count, tiling_->cube.groupsPerTile));
        CopyIn(tile);
        count -= tile.groups;
        operands_.ClearSums(heads_);
        // MTE2 loads the next tile while this one is multiplied.
        while (count > 0) {
            const CubeTile next = groups_.Next(Min(count, tiling_->cube.groupsPerTile));
            CopyIn(next);
            count -= next.groups;
            Multiply(tile);
            tile = next;
        }
        Multiply(tile);
        operands_.Store(slotsGm_[layout_.OffsetOf(AscendC::GetBlockIdx() + headGroup)],
                        tiling_->cube.groupsPerTile + overlaps_ - 1, heads_);
    }

    /// Loads the weights of the heads to L1, after MTE1 has read those of the heads before.
    __aicore__ inline void LoadWeights() {
        const uint32_t head = firstHead_ - static_cast<uint32_t>(share_.heads.begin);
        AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(kWeightsEvent);
        AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(kWeightsEvent);
        AscendC::DataCopy(l1_.Get<T>()[weightsAt_], weightsGm_[head * weightElems_],
                          heads_ * weightElems_);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE1>(kWeightsEvent);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(kWeightsEvent);
    }

    /// Loads a tile to the next buffer of L1, in stripes of 16 columns.
    __aicore__ inline void CopyIn(const CubeTile& tile) {
        const AscendC::LocalTensor<T> to = l1_.Get<T>()[loaded_ % kBuffers * bufferElems_];
        const int32_t event = static_cast<int32_t>(loaded_ % kBuffers);
        AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(event);
        const uint32_t rows = tile.groups * tiling_->stride;
        CopyRows(to[rowsAt_], inputGm_, tile.row, rows, rows);
        uint32_t windows = tile.groups + overlaps_ - 1;
        if (loaded_ < kBuffers) {
            // Rows of later windows fill the buffer, so that MTE1 never reads what nothing has
            // written. In later tiles, rows of earlier tiles do.
            windows = static_cast<uint32_t>(Min(kCubeWindows, tiling_->windows - tile.window));
            if (windows < kCubeWindows) {
                ClearGradients(to);
            }
        }
        CopyRows(to, outputGradGm_, tile.window, windows, kCubeWindows);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE1>(event);
        ++loaded_;
    }

    /// Clears the rows of outputGrad of a buffer.
    __aicore__ inline void ClearGradients(const AscendC::LocalTensor<T>& to) {
        const uint32_t blocks = rowsAt_ / kElemsPerBlock<T>;
        AscendC::InitConstValue(
            to.template ReinterpretCast<half>(),
            AscendC::InitConstValueParams<half>(1, static_cast<uint16_t>(blocks), 0, half(0.0f)));
        AscendC::PipeBarrier<PIPE_MTE2>();
    }

    /// Copies the columns of the heads in stripes of 16 columns and `pitch` rows.
    __aicore__ inline void CopyRows(const AscendC::LocalTensor<T>& to,
                                    const AscendC::GlobalTensor<T>& from, int64_t row,
                                    uint32_t rows, uint32_t pitch) {
        const uint32_t rowElems = tiling_->heads * tiling_->headDim;
        AscendC::Nd2NzParams params;
        params.ndNum = 1;
        params.nValue = static_cast<uint16_t>(rows);
        params.dValue = static_cast<uint16_t>(heads_ * tiling_->headDim);
        params.srcNdMatrixStride = 0;
        params.srcDValue = static_cast<uint16_t>(rowElems);
        params.dstNzC0Stride = static_cast<uint16_t>(pitch);
        params.dstNzNStride = 1;
        params.dstNzMatrixStride = 1;
        AscendC::DataCopy(to, from[row * rowElems + firstHead_ * tiling_->headDim], params);
    }

    __aicore__ inline void Multiply(const CubeTile& tile) {
        const AscendC::LocalTensor<T> buffer = l1_.Get<T>()[used_ % kBuffers * bufferElems_];
        const int32_t event = static_cast<int32_t>(used_ % kBuffers);
        const uint32_t dim = tiling_->headDim;
        const uint32_t rows = tile.groups * tiling_->stride;
        const bool both = tiling_->cube.inputGrad != 0;
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(event);
        for (uint32_t head = 0; head < heads_; ++head) {
            const AscendC::LocalTensor<T> gradients = buffer[head * dim * kCubeWindows];
            operands_.AddProducts(head, gradients, tile.groups + overlaps_ - 1,
                                  buffer[rowsAt_ + head * dim * rows], rows, dim);
            if (both) {
                StoreInputGrad(tile, head, gradients);
            }
        }
        AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(event);
        ++used_;
    }

    /// Computes inputGrad for the rows of a tile and one head: for each group, a product with the
    /// gradients of the windows that overlap it, and of no others: a weight of zero instead would
    /// make NaN of infinity.
    __aicore__ inline void StoreInputGrad(const CubeTile& tile, uint32_t head,
                                          const AscendC::LocalTensor<T>& gradients) {
        const int64_t* strides = tiling_->inputGradStrides;
        const uint32_t dim = tiling_->headDim;
        const uint32_t stride = tiling_->stride;
        const uint32_t whole = RowsOfAllWindows(*tiling_);
        const uint32_t pitch = static_cast<uint32_t>(strides[0]);
        const AscendC::LocalTensor<T> weights = l1_.Get<T>()[weightsAt_ + head * weightElems_];
        const bool through = used_ % kTilesOfPlan < tiling_->tilesThroughL2;
        const AscendC::GlobalTensor<T> gm =
            (through ? inputGradGm_
                     : inputGradPastL2_)[tile.row * strides[0] + (firstHead_ + head) * strides[1]];
        for (uint32_t group = 0; group < tile.groups; ++group) {
            const AscendC::LocalTensor<T> first = gradients[group * kEdge];
            const AscendC::GlobalTensor<T> to =
                gm[static_cast<int64_t>(group * stride) * strides[0]];
            operands_.StoreProduct(to, pitch, weights, first, whole, dim, overlaps_);
            if (whole < stride) {
                operands_.StoreProduct(to[whole * strides[0]], pitch, weights[whole * kCubeWindows],
                                       first[kEdge], stride - whole, dim, overlaps_ - 1);
            }
        }
    }

    const NsaCompressGradBaseTilingData* tiling_;
    AscendC::GlobalTensor<T> outputGradGm_;
    AscendC::GlobalTensor<T> inputGm_;
    AscendC::GlobalTensor<T> inputGradGm_;
    AscendC::GlobalTensor<T> inputGradPastL2_;  ///< the same tensor
    AscendC::GlobalTensor<T> weightsGm_;        ///< the weights of this block (CubeWeights)
    AscendC::GlobalTensor<float> slotsGm_;
    AscendC::TBuf<AscendC::TPosition::A1> l1_;
    CubeSlotLayout layout_;
    CubeShare share_;
    CubeGroups groups_;
    CubeOperands<T> operands_;
    uint32_t overlaps_;     ///< number of windows that overlap a row
    uint32_t rowsAt_;       ///< offset of the rows of a tile in L1; the gradients come first
    uint32_t weightsAt_;    ///< offset of the weights in L1
    uint32_t weightElems_;  ///< elements of the weights of a head
    uint32_t bufferElems_;  ///< elements of a tile in L1
    uint32_t firstHead_ = 0;
    uint32_t heads_ = 0;
    uint32_t loaded_ = 0;  ///< number of tiles that were loaded
    uint32_t used_ = 0;    ///< number of tiles that were multiplied
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_GRADIENTS_H
