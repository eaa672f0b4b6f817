// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_WEIGHTS_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_WEIGHTS_H

#include "../common/copy.h"
#include "../common/sync.h"
#include "cube_share.h"
#include "kernel_operator.h"

namespace ops::NsaCompressGradOp {

/// Id of the flag that vector cores set for their cube core: its weights are in the workspace.
constexpr uint16_t kFlagWeights = 1;

/// Writes the weights for the block's cube core to the workspace: for each head and each 16 rows
/// of a group a fractal. Row s of it has the weights of row s for the windows that overlap the row,
/// first window first. Further elements of the row have no meaning. The two vector cores of a block
/// share the heads.
template <typename T>
class CubeWeights {
public:
    __aicore__ inline void Init(GM_ADDR weight, GM_ADDR cubeWeights,
                                const NsaCompressGradBaseTilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        const int64_t block = AscendC::GetBlockIdx() / 2;
        share_.Init(*tiling, block);
        weightGm_.SetGlobalBuffer((__gm__ T*)weight);
        const int64_t blockElems =
            static_cast<int64_t>(tiling->cube.headsOfBlock) * CubeWeightElems(*tiling);
        cubeWeightsGm_.SetGlobalBuffer((__gm__ T*)cubeWeights + block * blockElems, blockElems);
        const uint32_t all = tiling->blockSize * tiling->heads * sizeof(T);
        pipe->InitBuffer(in_, 1, RoundUp(all, kBlockBytes));
        pipe->InitBuffer(offsets_, 2 * kFractalElems * sizeof(int32_t));
        pipe->InitBuffer(out_, 2, CubeWeightElems(*tiling) * sizeof(T));
    }

    __aicore__ inline void Process() {
        if (share_.heads.Size() > 0) {
            Write();
        }
        AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(kFlagWeights);
    }

private:
    static constexpr uint32_t kFractalElems = kCubeWindows * kCubeWindows;
    static constexpr uint32_t kFractalRows = 16;

    __aicore__ inline void Write() {
        AscendC::LocalTensor<T> weight = in_.template AllocTensor<T>();
        Load(weight, weightGm_, tiling_->blockSize * tiling_->heads);
        in_.EnQue(weight);
        FindOffsets();
        weight = in_.template DeQue<T>();
        for (int64_t head = share_.heads.begin + AscendC::GetSubBlockIdx(); head < share_.heads.end;
             head += 2) {
            AscendC::LocalTensor<T> fractals = out_.template AllocTensor<T>();
            Turn(fractals, weight, static_cast<uint32_t>(head));
            out_.EnQue(fractals);
            fractals = out_.template DeQue<T>();
            const uint32_t elems = CubeWeightElems(*tiling_);
            Store(cubeWeightsGm_[(head - share_.heads.begin) * elems], fractals, elems);
            out_.FreeTensor(fractals);
        }
        in_.FreeTensor(weight);
    }

    /// Sets the byte offsets of the elements of two fractals: of the rows that all windows of their
    /// group reach, and of rows that the first window does not reach.
    __aicore__ inline void FindOffsets() {
        const uint32_t overlaps = CeilDiv(tiling_->blockSize, tiling_->stride);
        for (uint32_t fewer = 0; fewer < 2; ++fewer) {
            FindOffsets(offsets_.Get<int32_t>()[fewer * kFractalElems], overlaps - fewer);
        }
    }

    /// Element k of row s is the weight of row (windows - 1 - k) * stride + s of a window. Elements
    /// that no window has are any weights.
    __aicore__ inline void FindOffsets(const AscendC::LocalTensor<int32_t>& offsets,
                                       uint32_t windows) {
        const int32_t pitch = static_cast<int32_t>(tiling_->heads * sizeof(T));
        const int32_t step = static_cast<int32_t>(tiling_->stride) * pitch;
        for (uint32_t k = 0; k < kCubeWindows; ++k) {
            offsets.SetValue(k, k < windows ? static_cast<int32_t>(windows - 1 - k) * step : 0);
        }
        Sync<AscendC::HardEvent::S_V>();
        for (uint32_t row = 1; row < kFractalRows; row *= 2) {
            AscendC::Adds(offsets[row * kCubeWindows], offsets, pitch * static_cast<int32_t>(row),
                          static_cast<int32_t>(row * kCubeWindows));
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    __aicore__ inline void Turn(const AscendC::LocalTensor<T>& fractals,
                                const AscendC::LocalTensor<T>& weight, uint32_t head) {
        const uint32_t whole = RowsOfAllWindows(*tiling_);
        // The instruction moves bits and supports half, but not bfloat16_t.
        const AscendC::LocalTensor<half> to = fractals.template ReinterpretCast<half>();
        const AscendC::LocalTensor<half> from = weight.template ReinterpretCast<half>();
        const AscendC::LocalTensor<uint32_t> offsets = offsets_.Get<uint32_t>();
        for (uint32_t row = 0; row < tiling_->stride; row += kFractalRows) {
            AscendC::Gather(to[row * kCubeWindows], from, offsets[row < whole ? 0 : kFractalElems],
                            static_cast<uint32_t>((row * tiling_->heads + head) * sizeof(T)),
                            kFractalElems);
        }
    }

    const NsaCompressGradBaseTilingData* tiling_;
    CubeShare share_;
    AscendC::GlobalTensor<T> weightGm_;
    AscendC::GlobalTensor<T> cubeWeightsGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> offsets_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_WEIGHTS_H
