// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/normalization/rows.h"

namespace twin::norm {

TWIN_API void RunRmsNorm(Dtype dtype, const Operand& dst, const Operand& src, const Operand& gamma,
                         const advanced::Tmp& tmp, float epsilon, const RmsNormTiling& tiling,
                         bool basicBlock, Location where);

struct DeepNormTask {
    Dtype dtype;
    Operand dst, mean, variance, src, gx, beta, gamma;
    float alpha;
    float epsilon;
    bool reuse;
    bool basicBlock;
};

TWIN_API void RunDeepNorm(const DeepNormTask& task, const advanced::Tmp& tmp,
                          DeepNormTiling* tiling, Location where);

template <bool isReuseSrc, bool isBasicBlock, typename T>
DeepNormTask MakeDeepNorm(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& mean,
                          const AscendC::LocalTensor<T>& rstd, const AscendC::LocalTensor<T>& src,
                          const AscendC::LocalTensor<T>& gx, const AscendC::LocalTensor<T>& beta,
                          const AscendC::LocalTensor<T>& gamma, T alpha, T epsilon) {
    TWIN_REFUSE_DTYPE(DeepNorm, T, half, float);
    return {kDtypeOf<T>,
            Of(dst),
            Of(mean),
            Of(rstd),
            Of(src),
            Of(gx),
            Of(beta),
            Of(gamma),
            static_cast<float>(alpha),
            static_cast<float>(epsilon),
            isReuseSrc,
            isBasicBlock};
}

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

/// LayerNorm of alpha * src + gx over the last axis of [B, S, H]; rstdLocal gets the variance.
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
inline void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal,
                     const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal,
                     const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,
                     const LocalTensor<T>& gammaLocal, const LocalTensor<uint8_t>& sharedTmpBuffer,
                     const T alpha, const T epsilon, DeepNormTiling& tiling, TWIN_HERE) {
    ::twin::norm::RunDeepNorm(::twin::norm::MakeDeepNorm<isReuseSrc, isBasicBlock>(
                                  dstLocal, meanLocal, rstdLocal, srcLocal, gxLocal, betaLocal,
                                  gammaLocal, alpha, epsilon),
                              sharedTmpBuffer, &tiling, here);
}
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
inline void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal,
                     const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal,
                     const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,
                     const LocalTensor<T>& gammaLocal, const T alpha, const T epsilon,
                     DeepNormTiling& tiling, TWIN_HERE) {
    ::twin::norm::RunDeepNorm(::twin::norm::MakeDeepNorm<isReuseSrc, isBasicBlock>(
                                  dstLocal, meanLocal, rstdLocal, srcLocal, gxLocal, betaLocal,
                                  gammaLocal, alpha, epsilon),
                              {}, &tiling, here);
}

}  // namespace AscendC
