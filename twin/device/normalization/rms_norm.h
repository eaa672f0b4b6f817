// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_NORMALIZATION_RMS_NORM_H
#define TWIN_DEVICE_NORMALIZATION_RMS_NORM_H

#include "device/normalization/rows.h"

namespace twin::norm {

TWIN_API void RunRmsNorm(Dtype dtype, const Operand& dst, const Operand& src, const Operand& gamma,
                         const advanced::Tmp& tmp, float epsilon, const RmsNormTiling& tiling,
                         bool basicBlock, Location where);

}  // namespace twin::norm

namespace AscendC {

/// x / sqrt(mean(x * x) + epsilon) * gamma over the last axis of [B, S, H].
template <typename T, bool isBasicBlock = false>
inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                    const LocalTensor<T>& gammaLocal, const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const T epsilon, const RmsNormTiling& tiling, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(RmsNorm, T, half, float);
    ::twin::norm::RunRmsNorm(::twin::kDtypeOf<T>, ::twin::Of(dstLocal), ::twin::Of(srcLocal),
                             ::twin::Of(gammaLocal), sharedTmpBuffer, static_cast<float>(epsilon),
                             tiling, isBasicBlock, here);
}
template <typename T, bool isBasicBlock = false>
inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                    const LocalTensor<T>& gammaLocal, const T epsilon, const RmsNormTiling& tiling,
                    TWIN_HERE) {
    TWIN_REFUSE_DTYPE(RmsNorm, T, half, float);
    ::twin::norm::RunRmsNorm(::twin::kDtypeOf<T>, ::twin::Of(dstLocal), ::twin::Of(srcLocal),
                             ::twin::Of(gammaLocal), {}, static_cast<float>(epsilon), tiling,
                             isBasicBlock, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_NORMALIZATION_RMS_NORM_H
