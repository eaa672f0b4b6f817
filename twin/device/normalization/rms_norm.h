// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

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

}  // namespace twin::norm

namespace AscendC {

/// Computes x / sqrt(mean(x * x) + epsilon) * gamma over the last axis of [B, S, H].
#define TWIN_RMS_NORM(TMP, tmp)                                                            \
    template <typename T, bool isBasicBlock = false>                                       \
    inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,    \
                        const LocalTensor<T>& gammaLocal, TMP(const) const T epsilon,      \
                        const RmsNormTiling& tiling, TWIN_HERE) {                          \
        TWIN_REFUSE_DTYPE(RmsNorm, T, half, float);                                        \
        ::twin::norm::RunRmsNorm(::twin::kDtypeOf<T>, dstLocal, srcLocal, gammaLocal, tmp, \
                                 epsilon, tiling, isBasicBlock, here);                     \
    }
TWIN_TMP_FORMS(TWIN_RMS_NORM)

/// Computes LayerNorm of alpha * src + gx over the last axis of [B, S, H]. The parameter
/// rstdLocal receives the variance, not the reciprocal of the standard deviation.
#define TWIN_DEEP_NORM(TMP, tmp)                                                                \
    template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>                   \
    inline void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal,       \
                         const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal,       \
                         const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,        \
                         const LocalTensor<T>& gammaLocal, TMP(const) const T alpha,            \
                         const T epsilon, DeepNormTiling& tiling, TWIN_HERE) {                  \
        TWIN_REFUSE_DTYPE(DeepNorm, T, half, float);                                            \
        ::twin::norm::RunDeepNorm(                                                              \
            {::twin::kDtypeOf<T>, dstLocal, meanLocal, rstdLocal, srcLocal, gxLocal, betaLocal, \
             gammaLocal, alpha, epsilon, isReuseSrc, isBasicBlock},                             \
            tmp, &tiling, here);                                                                \
    }
TWIN_TMP_FORMS(TWIN_DEEP_NORM)

}  // namespace AscendC
