// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/transpose/transpose.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace twin::transpose {

TWIN_API void RunConfusion(Dtype dtype, const Operand& dst, const Operand& src,
                           AscendC::TransposeType type, const ConfusionTransposeTiling& tiling,
                           const advanced::Tmp& tmp, Location where);

}  // namespace twin::transpose

namespace AscendC {

/// Layout changes of attention tensors between NZ and ND, with and without the head axis; see
/// TransposeType. The tiling contains the shape.
template <typename T>
inline void ConfusionTranspose(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                               const LocalTensor<uint8_t>& sharedTmpBuffer,
                               TransposeType transposeType, ConfusionTransposeTiling& tiling,
                               TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ConfusionTranspose, T, half, int16_t, uint16_t, float, int32_t, uint32_t);
    ::twin::transpose::RunConfusion(::twin::kDtypeOf<T>, ::twin::Of(dstTensor),
                                    ::twin::Of(srcTensor), transposeType, tiling, sharedTmpBuffer,
                                    here);
}
template <typename T>
inline void ConfusionTranspose(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                               TransposeType transposeType, ConfusionTransposeTiling& tiling,
                               TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ConfusionTranspose, T, half, int16_t, uint16_t, float, int32_t, uint32_t);
    ::twin::transpose::RunConfusion(::twin::kDtypeOf<T>, ::twin::Of(dstTensor),
                                    ::twin::Of(srcTensor), transposeType, tiling, {}, here);
}

/// The newer name of ConfusionTranspose.
template <typename T>
inline void Transpose(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                      const LocalTensor<uint8_t>& sharedTmpBuffer, TransposeType transposeType,
                      ConfusionTransposeTiling& tiling, TWIN_HERE) {
    ConfusionTranspose(dstTensor, srcTensor, sharedTmpBuffer, transposeType, tiling, here);
}
template <typename T>
inline void Transpose(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                      TransposeType transposeType, ConfusionTransposeTiling& tiling, TWIN_HERE) {
    ConfusionTranspose(dstTensor, srcTensor, transposeType, tiling, here);
}

}  // namespace AscendC
