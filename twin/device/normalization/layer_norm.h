// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/normalization/normalize.h"

namespace AscendC {

struct LayerNormConfig {
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
    bool isOutputRstd = true;  ///< newer than 8.1; otherwise the variance, on other chips
};

constexpr LayerNormConfig GetLayerNormNormalConfig() { return {false, false, false}; }

inline constexpr LayerNormConfig LNCFG_NORM = GetLayerNormNormalConfig();

/// aLength rows of rLength elements; their distance is rLengthWithPadding.
struct LayerNormPara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};

}  // namespace AscendC

namespace twin::norm {

/// Tensors of one call: of T, or gamma and beta of U and the moments float.
struct LayerNormTask {
    Dtype dtype;
    Dtype weights;
    Operand output, mean, variance, x, gamma, beta;
    bool noGamma = false;
    bool noBeta = false;
    bool reuse = false;
    advanced::Tmp tmp = {};
};

TWIN_API void RunLayerNorm(const LayerNormTask& task, float epsilon, LayerNormTiling* tiling,
                           Location where);
TWIN_API void RunLayerNormRstd(const LayerNormTask& task, float epsilon,
                               const AscendC::LayerNormPara& para,
                               const LayerNormSeparateTiling& tiling, Location where);

template <typename U, typename T, const AscendC::LayerNormConfig& config>
constexpr void CheckLayerNormRstd() {
    TWIN_REFUSE_DTYPE(LayerNorm, T, half, float);
    static_assert(std::is_same<U, T>::value || std::is_same<U, float>::value,
                  "LayerNorm: gamma and beta have the type of inputX, or are float");
    static_assert(!config.isOnlyOutput, "LayerNorm: isOnlyOutput is not supported on A2/A3");
    static_assert(config.isOutputRstd, "LayerNorm: A2/A3 give rstd, not the variance");
}

}  // namespace twin::norm

namespace AscendC {

/// (x - mean) / sqrt(variance + epsilon) * gamma + beta over the last axis of [B, S, H], with mean
/// and variance as [B, S]. With isReuseSource a float inputX is overwritten.
#define TWIN_LAYER_NORM(TMP, tmp)                                                                  \
    template <typename T, bool isReuseSource = false>                                              \
    inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,          \
                          const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,      \
                          const LocalTensor<T>& gamma, const LocalTensor<T>& beta,                 \
                          TMP(const) const T epsilon, LayerNormTiling& tiling, TWIN_HERE) {        \
        TWIN_REFUSE_DTYPE(LayerNorm, T, half, float);                                              \
        ::twin::norm::RunLayerNorm(                                                                \
            {::twin::kDtypeOf<T>, ::twin::kDtypeOf<T>, output, outputMean, outputVariance, inputX, \
             gamma, beta, false, false, isReuseSource, tmp},                                       \
            epsilon, &tiling, here);                                                               \
    }
TWIN_TMP_FORMS(TWIN_LAYER_NORM)

/// The same over [A, R], with 1 / sqrt(variance + epsilon) instead of the variance; both results
/// are float.
#define TWIN_LAYER_NORM_RSTD(TMP, tmp)                                                         \
    template <typename U, typename T, bool isReuseSource = false,                              \
              const LayerNormConfig& config = LNCFG_NORM>                                      \
    inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,  \
                          const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,  \
                          const LocalTensor<U>& gamma, const LocalTensor<U>& beta,             \
                          const float epsilon, TMP(const) const LayerNormPara& para,           \
                          const LayerNormSeparateTiling& tiling, TWIN_HERE) {                  \
        ::twin::norm::CheckLayerNormRstd<U, T, config>();                                      \
        ::twin::norm::RunLayerNormRstd(                                                        \
            {::twin::kDtypeOf<T>, ::twin::kDtypeOf<U>, output, outputMean, outputRstd, inputX, \
             gamma, beta, config.isNoGamma, config.isNoBeta, false, tmp},                      \
            epsilon, para, tiling, here);                                                      \
    }
TWIN_TMP_FORMS(TWIN_LAYER_NORM_RSTD)

}  // namespace AscendC
