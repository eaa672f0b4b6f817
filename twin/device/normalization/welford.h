// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/normalization/rows.h"

namespace AscendC {

struct WelfordUpdateConfig {
    constexpr WelfordUpdateConfig(const bool isInplaceIn) : isInplace(isInplaceIn) {}
    bool isInplace = false;  ///< elements that are not computed are copied from the inputs
};

inline constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};

/// abComputeLength of abLength elements are computed; nRec is one over the number of steps so far.
struct WelfordUpdateParam {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t abComputeLength;
    float nRec;
};

/// abLength running means: each of the first headCountLength is a mean of headCount values, each of
/// the last tailCountLength of tailCount. abRec = 1 / abLength, rRec = 1 / number of all values.
struct WelfordFinalizePara {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t headCount;
    uint32_t headCountLength;
    uint32_t tailCount;
    uint32_t tailCountLength;
    float abRec;
    float rRec;
};

}  // namespace AscendC

namespace twin::norm {

struct WelfordTask {
    Dtype dtype;
    Operand outMean, outVariance, inMean, inVariance;
    Operand x = {};  ///< for Finalize: the counts
    bool hasCounts = false;
    bool reuse = false;
    bool copyRest = false;
};

TWIN_API void RunWelfordUpdate(const WelfordTask& task, const advanced::Tmp& tmp,
                               const AscendC::WelfordUpdateParam& para, Location where);
TWIN_API void RunWelfordFinalize(const WelfordTask& task, const advanced::Tmp& tmp,
                                 const AscendC::WelfordFinalizePara& para, Location where);

template <typename T, typename U, bool isReuseSource, const AscendC::WelfordUpdateConfig& config>
WelfordTask MakeWelfordUpdate(const AscendC::LocalTensor<U>& outMean,
                              const AscendC::LocalTensor<U>& outVariance,
                              const AscendC::LocalTensor<U>& inMean,
                              const AscendC::LocalTensor<U>& inVariance,
                              const AscendC::LocalTensor<T>& x) {
    TWIN_REFUSE_DTYPE(WelfordUpdate, T, half, float);
    TWIN_REFUSE_DTYPE(WelfordUpdate, U, float);
    return {kDtypeOf<T>, Of(outMean), Of(outVariance), Of(inMean),      Of(inVariance),
            Of(x),       false,       isReuseSource,   config.isInplace};
}

inline WelfordTask MakeWelfordFinalize(const AscendC::LocalTensor<float>& outMean,
                                       const AscendC::LocalTensor<float>& outVariance,
                                       const AscendC::LocalTensor<float>& inMean,
                                       const AscendC::LocalTensor<float>& inVariance) {
    return {Dtype::F32, Of(outMean), Of(outVariance), Of(inMean), Of(inVariance)};
}
inline WelfordTask MakeWelfordFinalize(const AscendC::LocalTensor<float>& outMean,
                                       const AscendC::LocalTensor<float>& outVariance,
                                       const AscendC::LocalTensor<float>& inMean,
                                       const AscendC::LocalTensor<float>& inVariance,
                                       const AscendC::LocalTensor<int32_t>& counts) {
    return {Dtype::F32, Of(outMean), Of(outVariance), Of(inMean), Of(inVariance), Of(counts), true};
}

}  // namespace twin::norm

namespace AscendC {

/// One step of Welford's running mean and sum of squared distances, element by element.
template <typename T, typename U, bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
inline void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                          const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                          const LocalTensor<T>& inputX, const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const WelfordUpdateParam& para, TWIN_HERE) {
    ::twin::norm::RunWelfordUpdate(
        ::twin::norm::MakeWelfordUpdate<T, U, isReuseSource, config>(
            outputMean, outputVariance, inputMean, inputVariance, inputX),
        sharedTmpBuffer, para, here);
}
template <typename T, typename U, bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
inline void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                          const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                          const LocalTensor<T>& inputX, const WelfordUpdateParam& para, TWIN_HERE) {
    ::twin::norm::RunWelfordUpdate(
        ::twin::norm::MakeWelfordUpdate<T, U, isReuseSource, config>(
            outputMean, outputVariance, inputMean, inputVariance, inputX),
        {}, para, here);
}

/// Combines all running means and variances to one, in the first of eight results; the others are
/// zeros.
template <bool isReuseSource = false>
inline void WelfordFinalize(const LocalTensor<float>& outputMean,
                            const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean,
                            const LocalTensor<float>& inputVariance,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, WelfordFinalizePara& para,
                            TWIN_HERE) {
    ::twin::norm::RunWelfordFinalize(
        ::twin::norm::MakeWelfordFinalize(outputMean, outputVariance, inputMean, inputVariance),
        sharedTmpBuffer, para, here);
}
template <bool isReuseSource = false>
inline void WelfordFinalize(const LocalTensor<float>& outputMean,
                            const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean,
                            const LocalTensor<float>& inputVariance,
                            const LocalTensor<int32_t>& counts,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, WelfordFinalizePara& para,
                            TWIN_HERE) {
    ::twin::norm::RunWelfordFinalize(
        ::twin::norm::MakeWelfordFinalize(outputMean, outputVariance, inputMean, inputVariance,
                                          counts),
        sharedTmpBuffer, para, here);
}
template <bool isReuseSource = false>
inline void WelfordFinalize(const LocalTensor<float>& outputMean,
                            const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean,
                            const LocalTensor<float>& inputVariance, WelfordFinalizePara& para,
                            TWIN_HERE) {
    ::twin::norm::RunWelfordFinalize(
        ::twin::norm::MakeWelfordFinalize(outputMean, outputVariance, inputMean, inputVariance), {},
        para, here);
}
template <bool isReuseSource = false>
inline void WelfordFinalize(const LocalTensor<float>& outputMean,
                            const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean,
                            const LocalTensor<float>& inputVariance,
                            const LocalTensor<int32_t>& counts, WelfordFinalizePara& para,
                            TWIN_HERE) {
    ::twin::norm::RunWelfordFinalize(
        ::twin::norm::MakeWelfordFinalize(outputMean, outputVariance, inputMean, inputVariance,
                                          counts),
        {}, para, here);
}

}  // namespace AscendC
