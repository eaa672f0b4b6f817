// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/normalization/rows.h"

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

template <bool isReuseSource, typename T>
LayerNormGradTask MakeLayerNormGrad(const AscendC::LocalTensor<T>& pdX,
                                    const AscendC::LocalTensor<T>& resForGamma,
                                    const AscendC::LocalTensor<T>& dy,
                                    const AscendC::LocalTensor<T>& x,
                                    const AscendC::LocalTensor<T>& variance,
                                    const AscendC::LocalTensor<T>& mean,
                                    const AscendC::LocalTensor<T>& gamma, T epsilon,
                                    const AscendC::LayerNormGradShapeInfo& shapeInfo) {
    TWIN_REFUSE_DTYPE(LayerNormGrad, T, half, float);
    return {kDtypeOf<T>,
            Of(pdX),
            Of(resForGamma),
            Of(dy),
            Of(x),
            Of(variance),
            Of(mean),
            Of(gamma),
            static_cast<float>(epsilon),
            isReuseSource,
            shapeInfo.dataFormat};
}

}  // namespace twin::norm

namespace AscendC {

/// The gradient of LayerNorm's x, and resForGamma = (x - mean) / sqrt(variance + epsilon). With
/// isReuseSource, float inputDy and inputX are overwritten.
template <typename T, bool isReuseSource = false>
inline void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                          const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                          const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                          const LocalTensor<T>& inputGamma, LocalTensor<uint8_t>& sharedTmpBuffer,
                          T epsilon, LayerNormGradTiling& tiling,
                          const LayerNormGradShapeInfo& shapeInfo = {}, TWIN_HERE) {
    ::twin::norm::RunLayerNormGrad(::twin::norm::MakeLayerNormGrad<isReuseSource>(
                                       outputPdX, resForGamma, inputDy, inputX, inputVariance,
                                       inputMean, inputGamma, epsilon, shapeInfo),
                                   sharedTmpBuffer, tiling, here);
}
template <typename T, bool isReuseSource = false>
inline void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                          const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                          const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                          const LocalTensor<T>& inputGamma, T epsilon, LayerNormGradTiling& tiling,
                          const LayerNormGradShapeInfo& shapeInfo = {}, TWIN_HERE) {
    ::twin::norm::RunLayerNormGrad(::twin::norm::MakeLayerNormGrad<isReuseSource>(
                                       outputPdX, resForGamma, inputDy, inputX, inputVariance,
                                       inputMean, inputGamma, epsilon, shapeInfo),
                                   {}, tiling, here);
}

/// The gradients of gamma and beta: sums of dy * resForGamma and of dy over all rows.
template <typename T, bool isReuseSource = false>
inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma,
                              const LocalTensor<T>& outputPdBeta, const LocalTensor<T>& resForGamma,
                              const LocalTensor<T>& inputDy,
                              const LocalTensor<uint8_t>& sharedTmpBuffer,
                              const LayerNormGradBetaTiling& tiling, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(LayerNormGradBeta, T, half, float);
    ::twin::norm::RunLayerNormGradBeta(
        ::twin::kDtypeOf<T>, ::twin::Of(outputPdGamma), ::twin::Of(outputPdBeta),
        ::twin::Of(resForGamma), ::twin::Of(inputDy), sharedTmpBuffer, isReuseSource, tiling, here);
}
template <typename T, bool isReuseSource = false>
inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma,
                              const LocalTensor<T>& outputPdBeta, const LocalTensor<T>& resForGamma,
                              const LocalTensor<T>& inputDy, LayerNormGradBetaTiling& tiling,
                              TWIN_HERE) {
    TWIN_REFUSE_DTYPE(LayerNormGradBeta, T, half, float);
    ::twin::norm::RunLayerNormGradBeta(::twin::kDtypeOf<T>, ::twin::Of(outputPdGamma),
                                       ::twin::Of(outputPdBeta), ::twin::Of(resForGamma),
                                       ::twin::Of(inputDy), {}, isReuseSource, tiling, here);
}

}  // namespace AscendC
