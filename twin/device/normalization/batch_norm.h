// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace twin::norm {

struct BatchNormTask {
    Dtype dtype;
    Operand output, mean, variance, x, gamma, beta;
    float epsilon;
    bool basicBlock;
};

TWIN_API void RunBatchNorm(const BatchNormTask& task, const advanced::Tmp& tmp,
                           BatchNormTiling* tiling, Location where);

struct GroupNormTask {
    Dtype dtype;
    Operand output, mean, variance, x, gamma, beta;
    float epsilon;
    bool reuse;
};

TWIN_API void RunGroupNorm(const GroupNormTask& task, const advanced::Tmp& tmp,
                           const GroupNormTiling& tiling, Location where);

}  // namespace twin::norm

namespace AscendC {

/// Computes (x - mean) / sqrt(variance + epsilon) * gamma + beta. Mean and variance are over the
/// first axis of [B, S, H] and have the shape [S, H]; gamma and beta have the shape [B].
#define TWIN_BATCH_NORM(TMP, tmp)                                                             \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false>              \
    inline void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,     \
                          const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, \
                          const LocalTensor<T>& gamm, const LocalTensor<T>& beta,             \
                          TMP(const) const T epsilon, BatchNormTiling& tiling, TWIN_HERE) {   \
        TWIN_REFUSE_DTYPE(BatchNorm, T, half, float);                                         \
        ::twin::norm::RunBatchNorm({::twin::kDtypeOf<T>, output, outputMean, outputVariance,  \
                                    inputX, gamm, beta, epsilon, isBasicBlock},               \
                                   tmp, &tiling, here);                                       \
    }
TWIN_TMP_FORMS(TWIN_BATCH_NORM)

/// Computes (x - mean) / sqrt(variance + epsilon) * gamma + beta. Mean and variance are over groups
/// of channels of [N, C, H, W] (H * W padded to 32 B); shapes: [N, groups]; gamma, beta: [C].
#define TWIN_GROUP_NORM(TMP, tmp)                                                             \
    template <typename T, bool isReuseSource = false>                                         \
    inline void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,     \
                          const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, \
                          const LocalTensor<T>& gamma, const LocalTensor<T>& beta,            \
                          TMP(const) const T epsilon, GroupNormTiling& tiling, TWIN_HERE) {   \
        TWIN_REFUSE_DTYPE(GroupNorm, T, half, float);                                         \
        ::twin::norm::RunGroupNorm({::twin::kDtypeOf<T>, output, outputMean, outputVariance,  \
                                    inputX, gamma, beta, epsilon, isReuseSource},             \
                                   tmp, tiling, here);                                        \
    }
TWIN_TMP_FORMS(TWIN_GROUP_NORM)

}  // namespace AscendC
