// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace AscendC {

struct WelfordUpdateConfig {
    constexpr WelfordUpdateConfig(const bool isInplaceIn) : isInplace(isInplaceIn) {}
    bool isInplace = false;  ///< true: elements that are not computed are copied from the inputs
};

inline constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};

/// Parameters of WelfordUpdate: the first abComputeLength of abLength elements are computed; nRec
/// is 1 / the number of updates so far.
struct WelfordUpdateParam {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t abComputeLength;
    float nRec;
};

/// Parameters of WelfordFinalize for abLength running means. The first headCountLength means are of
/// headCount values each, the last tailCountLength means are of tailCount values each. abRec is
/// 1 / abLength, rRec is 1 / the number of all values.
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
    Operand x = {};  ///< x of WelfordUpdate, or the counts of WelfordFinalize
    bool hasCounts = false;
    bool reuse = false;
    bool copyRest = false;
};

TWIN_API void RunWelfordUpdate(const WelfordTask& task, const advanced::Tmp& tmp,
                               const AscendC::WelfordUpdateParam& para, Location where);
TWIN_API void RunWelfordFinalize(const WelfordTask& task, const advanced::Tmp& tmp,
                                 const AscendC::WelfordFinalizePara& para, Location where);

}  // namespace twin::norm

namespace AscendC {

/// Computes one step of Welford's running mean and sum of squared distances, element by element.
#define TWIN_WELFORD_UPDATE(TMP, tmp)                                                           \
    template <typename T, typename U, bool isReuseSource = false,                               \
              const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>                         \
    inline void WelfordUpdate(                                                                  \
        const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,                 \
        const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,                   \
        const LocalTensor<T>& inputX, TMP(const) const WelfordUpdateParam& para, TWIN_HERE) {   \
        TWIN_REFUSE_DTYPE(WelfordUpdate, T, half, float);                                       \
        TWIN_REFUSE_DTYPE(WelfordUpdate, U, float);                                             \
        ::twin::norm::RunWelfordUpdate(                                                         \
            {::twin::kDtypeOf<T>, outputMean, outputVariance, inputMean, inputVariance, inputX, \
             false, isReuseSource, config.isInplace},                                           \
            tmp, para, here);                                                                   \
    }
TWIN_TMP_FORMS(TWIN_WELFORD_UPDATE)

/// Combines all running means and variances. Each result has 8 elements: the first is the combined
/// value, the others are zeros.
#define TWIN_WELFORD_FINALIZE(TMP, tmp, COUNTS, counts, hasCounts)                        \
    template <bool isReuseSource = false>                                                 \
    inline void WelfordFinalize(                                                          \
        const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,   \
        const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,     \
        COUNTS() TMP(const) WelfordFinalizePara& para, TWIN_HERE) {                       \
        ::twin::norm::RunWelfordFinalize({::twin::Dtype::F32, outputMean, outputVariance, \
                                          inputMean, inputVariance, counts, hasCounts},   \
                                         tmp, para, here);                                \
    }
#define TWIN_WELFORD_COUNTS() const LocalTensor<int32_t>&counts,
TWIN_TMP_FORMS_OF(TWIN_WELFORD_FINALIZE, TWIN_WELFORD_COUNTS, counts, true)
TWIN_TMP_FORMS_OF(TWIN_WELFORD_FINALIZE, TWIN_NOTHING, {}, false)

}  // namespace AscendC
