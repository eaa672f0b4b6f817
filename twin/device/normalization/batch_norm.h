// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/normalization/rows.h"

namespace twin::norm {

struct BatchNormTask {
    Dtype dtype;
    Operand output, mean, variance, x, gamma, beta;
    float epsilon;
    bool basicBlock;
};

TWIN_API void RunBatchNorm(const BatchNormTask& task, const advanced::Tmp& tmp,
                           BatchNormTiling* tiling, Location where);

template <bool isBasicBlock, typename T>
BatchNormTask MakeBatchNorm(const AscendC::LocalTensor<T>& output,
                            const AscendC::LocalTensor<T>& mean,
                            const AscendC::LocalTensor<T>& variance,
                            const AscendC::LocalTensor<T>& x, const AscendC::LocalTensor<T>& gamma,
                            const AscendC::LocalTensor<T>& beta, T epsilon) {
    TWIN_REFUSE_DTYPE(BatchNorm, T, half, float);
    return {kDtypeOf<T>, Of(output), Of(mean), Of(variance),
            Of(x),       Of(gamma),  Of(beta), static_cast<float>(epsilon),
            isBasicBlock};
}

struct GroupNormTask {
    Dtype dtype;
    Operand output, mean, variance, x, gamma, beta;
    float epsilon;
    bool reuse;
};

TWIN_API void RunGroupNorm(const GroupNormTask& task, const advanced::Tmp& tmp,
                           const GroupNormTiling& tiling, Location where);

template <bool isReuseSource, typename T>
GroupNormTask MakeGroupNorm(const AscendC::LocalTensor<T>& output,
                            const AscendC::LocalTensor<T>& mean,
                            const AscendC::LocalTensor<T>& variance,
                            const AscendC::LocalTensor<T>& x, const AscendC::LocalTensor<T>& gamma,
                            const AscendC::LocalTensor<T>& beta, T epsilon) {
    TWIN_REFUSE_DTYPE(GroupNorm, T, half, float);
    return {kDtypeOf<T>,  Of(output), Of(mean), Of(variance),
            Of(x),        Of(gamma),  Of(beta), static_cast<float>(epsilon),
            isReuseSource};
}

}  // namespace twin::norm

namespace AscendC {

/// (x - mean) / sqrt(variance + epsilon) * gamma + beta over the first axis of [B, S, H], with mean
/// and variance as [S, H], gamma and beta as [B].
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                      const LocalTensor<T>& gamm, const LocalTensor<T>& beta,
                      const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                      BatchNormTiling& tiling, TWIN_HERE) {
    ::twin::norm::RunBatchNorm(::twin::norm::MakeBatchNorm<isBasicBlock>(
                                   output, outputMean, outputVariance, inputX, gamm, beta, epsilon),
                               sharedTmpBuffer, &tiling, here);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                      const LocalTensor<T>& gamm, const LocalTensor<T>& beta, const T epsilon,
                      BatchNormTiling& tiling, TWIN_HERE) {
    ::twin::norm::RunBatchNorm(::twin::norm::MakeBatchNorm<isBasicBlock>(
                                   output, outputMean, outputVariance, inputX, gamm, beta, epsilon),
                               {}, &tiling, here);
}

/// (x - mean) / sqrt(variance + epsilon) * gamma + beta over the groups of channels of [N, C, H,
/// W], H * W padded to 32 B; mean and variance as [N, groups], gamma and beta as [C].
template <typename T, bool isReuseSource = false>
inline void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                      const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
                      const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                      GroupNormTiling& tiling, TWIN_HERE) {
    ::twin::norm::RunGroupNorm(
        ::twin::norm::MakeGroupNorm<isReuseSource>(output, outputMean, outputVariance, inputX,
                                                   gamma, beta, epsilon),
        sharedTmpBuffer, tiling, here);
}
template <typename T, bool isReuseSource = false>
inline void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                      const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon,
                      GroupNormTiling& tiling, TWIN_HERE) {
    ::twin::norm::RunGroupNorm(
        ::twin::norm::MakeGroupNorm<isReuseSource>(output, outputMean, outputVariance, inputX,
                                                   gamma, beta, epsilon),
        {}, tiling, here);
}

}  // namespace AscendC
