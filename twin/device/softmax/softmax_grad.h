// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/softmax/task.h"

namespace twin::softmax {

template <typename T>
void RunGrad(Opcode api, const Flags& flags, const AscendC::LocalTensor<T>& dst,
             const AscendC::LocalTensor<T>& grad, const AscendC::LocalTensor<T>& src,
             const advanced::Tmp& tmp, const SoftMaxTiling& tiling,
             const AscendC::SoftMaxShapeInfo& shape, Location where) {
    Run(Make(api, Kind::Grad, flags, dst, grad, grad, src, tmp, tiling, shape), where);
}

}  // namespace twin::softmax

#define TWIN_SOFTMAX_GRAD(TMP, tmp)                                                              \
    template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>               \
    inline void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,   \
                            const LocalTensor<T>& srcTensor, TMP() const SoftMaxTiling& tiling,  \
                            bool isFront = false, const SoftMaxShapeInfo& softmaxShapeInfo = {}, \
                            TWIN_HERE) {                                                         \
        ::twin::softmax::RunGrad<T>(::twin::Opcode::SoftmaxGrad,                                 \
                                    {isFront, false, false, isDataFormatNZ}, dstTensor,          \
                                    gradTensor, srcTensor, tmp, tiling, softmaxShapeInfo, here); \
    }
#define TWIN_SOFTMAX_GRAD_FRONT(TMP, tmp)                                                        \
    template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>                \
    inline void SoftmaxGradFront(                                                                \
        const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,                       \
        const LocalTensor<T>& srcTensor, TMP() const SoftMaxTiling& tiling,                      \
        const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {                              \
        ::twin::softmax::RunGrad<T>(::twin::Opcode::SoftmaxGradFront,                            \
                                    {true, false, isBasicBlock, isDataFormatNZ}, dstTensor,      \
                                    gradTensor, srcTensor, tmp, tiling, softmaxShapeInfo, here); \
    }

namespace AscendC {

/// (grad - sum(src * grad)) * src over the rows; with isFront only the sums, one block per row.
TWIN_TMP_FORMS(TWIN_SOFTMAX_GRAD)
/// sum(src * grad), one block per row.
TWIN_TMP_FORMS(TWIN_SOFTMAX_GRAD_FRONT)

}  // namespace AscendC
