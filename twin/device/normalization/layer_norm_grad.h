// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace AscendC {

struct LayerNormGradShapeInfo {
    DataFormat dataFormat = DataFormat::ND;
};

}  // namespace AscendC

namespace twin::norm {

struct LayerNormGradTask {
    Dtype dtype;
    Operand pdX, resForGamma, dy, x, variance, mean, gamma;
    float epsilon;
    bool reuse;
    AscendC::DataFormat format;
};

TWIN_API void RunLayerNormGrad(const LayerNormGradTask& task, const advanced::Tmp& tmp,
                               const LayerNormGradTiling& tiling, Location where);
TWIN_API void RunLayerNormGradBeta(Dtype dtype, const Operand& pdGamma, const Operand& pdBeta,
                                   const Operand& resForGamma, const Operand& dy,
                                   const advanced::Tmp& tmp, bool reuse,
                                   const LayerNormGradBetaTiling& tiling, Location where);

}  // namespace twin::norm

namespace AscendC {

/// Computes the gradient of LayerNorm's x, and resForGamma = (x - mean) / sqrt(variance + epsilon).
/// With isReuseSource, float inputDy and inputX are overwritten.
#define TWIN_LAYER_NORM_GRAD(TMP, tmp)                                                            \
    template <typename T, bool isReuseSource = false>                                             \
    inline void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma, \
                              const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,        \
                              const LocalTensor<T>& inputVariance,                                \
                              const LocalTensor<T>& inputMean, const LocalTensor<T>& inputGamma,  \
                              TMP() T epsilon, LayerNormGradTiling& tiling,                       \
                              const LayerNormGradShapeInfo& shapeInfo = {}, TWIN_HERE) {          \
        TWIN_REFUSE_DTYPE(LayerNormGrad, T, half, float);                                         \
        ::twin::norm::RunLayerNormGrad(                                                           \
            {::twin::kDtypeOf<T>, outputPdX, resForGamma, inputDy, inputX, inputVariance,         \
             inputMean, inputGamma, epsilon, isReuseSource, shapeInfo.dataFormat},                \
            tmp, tiling, here);                                                                   \
    }
TWIN_TMP_FORMS(TWIN_LAYER_NORM_GRAD)

/// Computes the gradients of gamma and beta: the sums of dy * resForGamma and of dy over all rows.
#define TWIN_LAYER_NORM_GRAD_BETA(QUALIFIER, TMP, tmp)                                       \
    template <typename T, bool isReuseSource = false>                                        \
    inline void LayerNormGradBeta(                                                           \
        const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,             \
        const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,                    \
        TMP(const) QUALIFIER LayerNormGradBetaTiling& tiling, TWIN_HERE) {                   \
        TWIN_REFUSE_DTYPE(LayerNormGradBeta, T, half, float);                                \
        ::twin::norm::RunLayerNormGradBeta(::twin::kDtypeOf<T>, outputPdGamma, outputPdBeta, \
                                           resForGamma, inputDy, tmp, isReuseSource, tiling, \
                                           here);                                            \
    }
TWIN_LAYER_NORM_GRAD_BETA(const, TWIN_TMP_BUFFER, sharedTmpBuffer)
TWIN_LAYER_NORM_GRAD_BETA(, TWIN_NOTHING, {})

}  // namespace AscendC
