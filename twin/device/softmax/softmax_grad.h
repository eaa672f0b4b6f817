// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SOFTMAX_SOFTMAX_GRAD_H
#define TWIN_DEVICE_SOFTMAX_SOFTMAX_GRAD_H

#include "device/softmax/task.h"

namespace twin::softmax {

template <typename T>
void RunGrad(Opcode api, const Flags& flags, const AscendC::LocalTensor<T>& dst,
             const AscendC::LocalTensor<T>& grad, const AscendC::LocalTensor<T>& src,
             const advanced::Tmp& tmp, const SoftMaxTiling& tiling,
             const AscendC::SoftMaxShapeInfo& shape, Location where) {
    Task task = Make(api, Kind::Grad, flags, dst, grad, grad, src, tiling, shape);
    task.tmp = tmp;
    Run(task, where);
}

}  // namespace twin::softmax

namespace AscendC {

/// (grad - sum(src * grad)) * src over the rows; with isFront only the sums, one block per row.
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                        const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                        bool isFront = false, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                        TWIN_HERE) {
    ::twin::softmax::RunGrad(::twin::Opcode::SoftmaxGrad, {isFront, false, false, isDataFormatNZ},
                             dstTensor, gradTensor, srcTensor, sharedTmpBuffer, tiling,
                             softmaxShapeInfo, here);
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                        const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
                        bool isFront = false, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                        TWIN_HERE) {
    ::twin::softmax::RunGrad(::twin::Opcode::SoftmaxGrad, {isFront, false, false, isDataFormatNZ},
                             dstTensor, gradTensor, srcTensor, {}, tiling, softmaxShapeInfo, here);
}

/// sum(src * grad), one block per row.
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
inline void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                             const LocalTensor<T>& srcTensor,
                             const LocalTensor<uint8_t>& sharedTmpBuffer,
                             const SoftMaxTiling& tiling,
                             const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {
    ::twin::softmax::RunGrad(::twin::Opcode::SoftmaxGradFront,
                             {true, false, isBasicBlock, isDataFormatNZ}, dstTensor, gradTensor,
                             srcTensor, sharedTmpBuffer, tiling, softmaxShapeInfo, here);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
inline void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                             const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
                             const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {
    ::twin::softmax::RunGrad(::twin::Opcode::SoftmaxGradFront,
                             {true, false, isBasicBlock, isDataFormatNZ}, dstTensor, gradTensor,
                             srcTensor, {}, tiling, softmaxShapeInfo, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SOFTMAX_SOFTMAX_GRAD_H
