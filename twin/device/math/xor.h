// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_XOR_H
#define TWIN_DEVICE_MATH_XOR_H

#include "device/library/tmp.h"
#include "device/vec/shapes.h"

namespace twin::advanced {

TWIN_API void RunXor(Dtype dtype, const Operand& dst, const Operand& src0, const Operand& src1,
                     const Tmp& tmp, uint32_t count, Location where);

}  // namespace twin::advanced

namespace AscendC {

/// The bits that are set in exactly one source.
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Xor, T, int16_t, uint16_t);
    twin::advanced::RunXor(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(src0Tensor),
                           twin::Of(src1Tensor), sharedTmpBuffer, calCount, here);
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                const LocalTensor<T>& src1Tensor, const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Xor, T, int16_t, uint16_t);
    twin::advanced::RunXor(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(src0Tensor),
                           twin::Of(src1Tensor), {}, calCount, here);
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                TWIN_HERE) {
    Xor<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize(),
                          here);
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                const LocalTensor<T>& src1Tensor, TWIN_HERE) {
    Xor<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize(), here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_XOR_H
