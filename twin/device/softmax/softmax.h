// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SOFTMAX_SOFTMAX_H
#define TWIN_DEVICE_SOFTMAX_SOFTMAX_H

#include "device/softmax/task.h"

namespace twin::softmax {

template <typename T, typename U>
void RunPlain(Opcode api, Kind kind, const Flags& flags, const AscendC::LocalTensor<T>& dst,
              const AscendC::LocalTensor<U>& sum, const AscendC::LocalTensor<U>& max,
              const AscendC::LocalTensor<T>& src, const advanced::Tmp& tmp,
              const SoftMaxTiling& tiling, const AscendC::SoftMaxShapeInfo& shape, Location where) {
    Task task = Make(api, kind, flags, dst, sum, max, src, tiling, shape);
    task.tmp = tmp;
    Run(task, where);
}

template <typename T>
void RunAlone(const Flags& flags, const AscendC::LocalTensor<T>& dst,
              const AscendC::LocalTensor<T>& src, const advanced::Tmp& tmp,
              const SoftMaxTiling& tiling, const AscendC::SoftMaxShapeInfo& shape, Location where) {
    Task task = Make(Opcode::SoftMax, Kind::Softmax, flags, dst, dst, dst, src, tiling, shape);
    task.hasStats = false;
    task.tmp = tmp;
    Run(task, where);
}

}  // namespace twin::softmax

// The forms with sum and max as results or inputs, one 32-byte block per row each: in the type of
// src, or float with half.
#define TWIN_SOFTMAX_WITH_STATS(API, KIND)                                                         \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                   \
              bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>      \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor,              \
                    const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,              \
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,      \
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {                    \
        ::twin::softmax::RunPlain(::twin::Opcode::API, ::twin::softmax::Kind::KIND,                \
                                  {false, false, isBasicBlock, isDataFormatNZ, config}, dstTensor, \
                                  sumTensor, maxTensor, srcTensor, sharedTmpBuffer, tiling,        \
                                  softmaxShapeInfo, here);                                         \
    }                                                                                              \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                   \
              bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>      \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor,              \
                    const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,              \
                    const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},    \
                    TWIN_HERE) {                                                                   \
        ::twin::softmax::RunPlain(::twin::Opcode::API, ::twin::softmax::Kind::KIND,                \
                                  {false, false, isBasicBlock, isDataFormatNZ, config}, dstTensor, \
                                  sumTensor, maxTensor, srcTensor, {}, tiling, softmaxShapeInfo,   \
                                  here);                                                           \
    }                                                                                              \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                   \
              bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>      \
    inline void API(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,       \
                    const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,       \
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,      \
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {                    \
        ::twin::softmax::RunPlain(::twin::Opcode::API, ::twin::softmax::Kind::KIND,                \
                                  {false, false, isBasicBlock, isDataFormatNZ, config}, dstTensor, \
                                  sumTensor, maxTensor, srcTensor, sharedTmpBuffer, tiling,        \
                                  softmaxShapeInfo, here);                                         \
    }                                                                                              \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                   \
              bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>      \
    inline void API(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,       \
                    const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,       \
                    const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},    \
                    TWIN_HERE) {                                                                   \
        ::twin::softmax::RunPlain(::twin::Opcode::API, ::twin::softmax::Kind::KIND,                \
                                  {false, false, isBasicBlock, isDataFormatNZ, config}, dstTensor, \
                                  sumTensor, maxTensor, srcTensor, {}, tiling, softmaxShapeInfo,   \
                                  here);                                                           \
    }

namespace AscendC {

/// exp(x - max) / sum over the rows of src; sum and max are results.
TWIN_SOFTMAX_WITH_STATS(SoftMax, Softmax)

/// Does the same without its sums and maxima. With isReuseSource, a float src is overwritten.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {
    ::twin::softmax::RunAlone({false, isReuseSource, isBasicBlock, false, config}, dstTensor,
                              srcTensor, sharedTmpBuffer, tiling, softmaxShapeInfo, here);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                    const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    TWIN_HERE) {
    ::twin::softmax::RunAlone({false, isReuseSource, isBasicBlock, false, config}, dstTensor,
                              srcTensor, {}, tiling, softmaxShapeInfo, here);
}

/// exp(x - inMax) / inSum, with given maxima and sums.
TWIN_SOFTMAX_WITH_STATS(SimpleSoftMax, Simple)

/// Rows whose maximum has the bits `from` become `to`; returns whether there was one.
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
inline bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes, const LocalTensor<T2>& maxTensor,
                             const uint32_t from, const T1 to,
                             const SoftMaxShapeInfo& softmaxShapeInfo, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(AdjustSoftMaxRes, T1, half, float);
    TWIN_REFUSE_DTYPE(AdjustSoftMaxRes, T2, half, float);
    return ::twin::softmax::Adjust(::twin::kDtypeOf<T1>, ::twin::kDtypeOf<T2>,
                                   ::twin::Of(softMaxRes), ::twin::Of(maxTensor), from, &to,
                                   isDataFormatNZ, stepSizeMode != 0, softmaxShapeInfo, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SOFTMAX_SOFTMAX_H
