// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/reduce/reduce_pattern.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace AscendC {

struct NormalizeConfig {
    ReducePattern reducePattern = ReducePattern::AR;
    int32_t aLength = -1;
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
};

constexpr NormalizeConfig GetNormalizeConfig(bool isNoBeta, bool isNoGamma) {
    return {ReducePattern::AR, -1, isNoBeta, isNoGamma, false};
}

inline constexpr NormalizeConfig NLCFG_NORM = GetNormalizeConfig(false, false);
inline constexpr NormalizeConfig NLCFG_NOBETA = GetNormalizeConfig(true, false);
inline constexpr NormalizeConfig NLCFG_NOGAMMA = GetNormalizeConfig(false, true);
inline constexpr NormalizeConfig NLCFG_NOOPT = GetNormalizeConfig(true, true);

/// Shape of x: aLength rows of rLength elements; a row begins every rLengthWithPadding elements.
struct NormalizePara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};

struct LayerNormConfig {
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
    bool isOutputRstd = true;  ///< newer than CANN 8.1; A2/A3 accept only true
};

constexpr LayerNormConfig GetLayerNormNormalConfig() { return {false, false, false}; }

inline constexpr LayerNormConfig LNCFG_NORM = GetLayerNormNormalConfig();

/// Shape of x: aLength rows of rLength elements; a row begins every rLengthWithPadding elements.
struct LayerNormPara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};

}  // namespace AscendC

namespace twin::norm {

struct NormalizeTask {
    Dtype dtype;
    Dtype weights;
    Operand output, rstd, mean, variance, x, gamma, beta;
    AscendC::NormalizeConfig config;
    AscendC::NormalizePara para;
};

TWIN_API void RunNormalize(const NormalizeTask& task, float epsilon, const advanced::Tmp& tmp,
                           Location where);
/// Returns how much scratch memory Normalize needs at least, and how much it can use at most.
TWIN_API advanced::TmpNeed NormalizeScratch(uint32_t rows, uint32_t pitch, Dtype weights);

template <typename U, typename T, const AscendC::NormalizeConfig& config>
constexpr void CheckNormalize() {
    TWIN_REFUSE_DTYPE(Normalize, T, half, float);
    static_assert(std::is_same<U, T>::value || std::is_same<U, float>::value,
                  "Normalize: gamma and beta have the type of inputX, or are float");
    static_assert(!config.isOnlyOutput, "Normalize: isOnlyOutput is not supported on A2/A3");
    static_assert(config.reducePattern == AscendC::ReducePattern::AR,
                  "Normalize: the reduce pattern on A2/A3 is AR");
    static_assert(config.aLength != 1, "Normalize: aLength in the config is not 1");
}

/// One call of LayerNorm: `dtype` is the type of x and output, `weights` is for gamma and beta.
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

/// Computes rstd = 1 / sqrt(variance + epsilon) and (x - mean) * rstd * gamma + beta.
#define TWIN_NORMALIZE(TMP, tmp)                                                                  \
    template <typename U, typename T, bool isReuseSource = false,                                 \
              const NormalizeConfig& config = NLCFG_NORM>                                         \
    inline void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,     \
                          const LocalTensor<float>& inputMean,                                    \
                          const LocalTensor<float>& inputVariance, const LocalTensor<T>& inputX,  \
                          const LocalTensor<U>& gamma, const LocalTensor<U>& beta,                \
                          TMP(const) const float epsilon, const NormalizePara& para, TWIN_HERE) { \
        ::twin::norm::CheckNormalize<U, T, config>();                                             \
        ::twin::norm::RunNormalize({::twin::kDtypeOf<T>, ::twin::kDtypeOf<U>, output, outputRstd, \
                                    inputMean, inputVariance, inputX, gamma, beta, config, para}, \
                                   epsilon, tmp, here);                                           \
    }
TWIN_TMP_FORMS(TWIN_NORMALIZE)

/// Computes (x - mean) / sqrt(variance + epsilon) * gamma + beta. Mean and variance are over the
/// last axis of [B, S, H] and have the shape [B, S]. isReuseSource: float inputX is overwritten.
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

/// Computes LayerNorm over the last axis of [A, R]. Returns 1 / sqrt(variance + epsilon) instead of
/// the variance. The mean and this value are float.
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
