// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TRANSPOSE_TRANSPOSE_H
#define TWIN_DEVICE_TRANSPOSE_TRANSPOSE_H

#include "device/transpose/params.h"

namespace AscendC {

/// Transposes 16 x 16 elements of 16 bits; dst may be src.
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Transpose, T, half, int16_t, uint16_t);
    twin::transpose::RunTranspose(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src), here);
}

/// Transposes 16 x 16, or [N, C, H, W] to [N, H, W, C] or back; the scratch is overwritten.
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const TransposeParamsExt& transposeParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Transpose, T, int8_t, uint8_t, half, int16_t, uint16_t, float, int32_t,
                      uint32_t);
    twin::transpose::RunTranspose(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src),
                                  twin::Of(sharedTmpBuffer), transposeParams, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_TRANSPOSE_TRANSPOSE_H
