// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_FMOD_H
#define TWIN_DEVICE_MATH_FMOD_H

#include "device/library/elementwise.h"

namespace AscendC {

/// src0 - trunc(src0 / src1) * src1, with every step rounded to float: not exact for large
/// quotients.
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                 const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                 const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Fmod, T, half, float);
    twin::advanced::RunBinary({"Fmod", twin::advanced::ElementaryOp::Fmod, twin::kDtypeOf<T>},
                              twin::Of(dstTensor), twin::Of(src0Tensor), twin::Of(src1Tensor),
                              sharedTmpBuffer, calCount, here);
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                 const LocalTensor<T>& src1Tensor, const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Fmod, T, half, float);
    twin::advanced::RunBinary({"Fmod", twin::advanced::ElementaryOp::Fmod, twin::kDtypeOf<T>},
                              twin::Of(dstTensor), twin::Of(src0Tensor), twin::Of(src1Tensor), {},
                              calCount, here);
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                 const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                 TWIN_HERE) {
    Fmod<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize(),
                           here);
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                 const LocalTensor<T>& src1Tensor, TWIN_HERE) {
    Fmod<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize(), here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_FMOD_H
