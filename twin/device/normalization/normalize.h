// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/normalization/rows.h"

namespace AscendC {

enum class ReducePattern : uint32_t { AR = 0, RA = 1 };

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

/// aLength rows of rLength elements; their distance is rLengthWithPadding.
struct NormalizePara {
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
/// Bytes that the library needs for one row, and bytes that it can use.
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

}  // namespace twin::norm

namespace AscendC {

/// (x - mean) * rstd * gamma + beta with rstd = 1 / sqrt(variance + epsilon), which is also a
/// result.
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

}  // namespace AscendC
