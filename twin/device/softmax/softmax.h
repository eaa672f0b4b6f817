// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/softmax/task.h"
#include "device/softmax/tiling.h"

// Declares two overloads of a call for sums and maxima in the type of src, and two for a half src
// with float sums and maxima. One overload of each pair has a temporary buffer.
#define TWIN_SOFTMAX_FORMS(FORM) TWIN_TMP_FORMS_OF(FORM, T, T) TWIN_TMP_FORMS_OF(FORM, half, float)
// Declares a call with sums and maxima as results or inputs; each fills one 32-byte block per row.
#define TWIN_SOFTMAX_WITH_STATS(TMP, tmp, D, S, API, KIND)                                         \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                   \
              bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>      \
    inline void API(const LocalTensor<D>& dstTensor, const LocalTensor<S>& sumTensor,              \
                    const LocalTensor<S>& maxTensor, const LocalTensor<D>& srcTensor,              \
                    TMP(const) const SoftMaxTiling& tiling,                                        \
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {                    \
        ::twin::softmax::Run(                                                                      \
            ::twin::softmax::Make(::twin::Opcode::API, ::twin::softmax::Kind::KIND,                \
                                  {false, false, isBasicBlock, isDataFormatNZ, config}, dstTensor, \
                                  sumTensor, maxTensor, srcTensor, tmp, tiling, softmaxShapeInfo), \
            here);                                                                                 \
    }
#define TWIN_SOFTMAX_ALONE(TMP, tmp)                                                               \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                   \
              const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                   \
    inline void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,          \
                        TMP(const) const SoftMaxTiling& tiling,                                    \
                        const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {                \
        auto task =                                                                                \
            ::twin::softmax::Make(::twin::Opcode::SoftMax, ::twin::softmax::Kind::Softmax,         \
                                  {false, isReuseSource, isBasicBlock, false, config}, dstTensor,  \
                                  dstTensor, dstTensor, srcTensor, tmp, tiling, softmaxShapeInfo); \
        task.hasStats = false;                                                                     \
        ::twin::softmax::Run(task, here);                                                          \
    }

namespace twin::softmax {

inline SoftMaxTiling AsSoftMax(const LogSoftMaxTiling& tiling) {
    static_assert(sizeof(SoftMaxTiling) == sizeof(LogSoftMaxTiling), "the same fields");
    SoftMaxTiling same;
    __builtin_memcpy(static_cast<void*>(&same), &tiling, sizeof(same));
    return same;
}

template <typename T>
void RunGrad(Opcode api, const Flags& flags, const AscendC::LocalTensor<T>& dst,
             const AscendC::LocalTensor<T>& grad, const AscendC::LocalTensor<T>& src,
             const advanced::Tmp& tmp, const SoftMaxTiling& tiling,
             const AscendC::SoftMaxShapeInfo& shape, Location where) {
    Run(Make(api, Kind::Grad, flags, dst, grad, grad, src, tmp, tiling, shape), where);
}

}  // namespace twin::softmax

#define TWIN_SOFTMAX_GRAD(TMP, tmp)                                                              \
    template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>               \
    inline void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,   \
                            const LocalTensor<T>& srcTensor,                                     \
                            TMP(const) const SoftMaxTiling& tiling, bool isFront = false,        \
                            const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {          \
        ::twin::softmax::RunGrad<T>(::twin::Opcode::SoftmaxGrad,                                 \
                                    {isFront, false, false, isDataFormatNZ}, dstTensor,          \
                                    gradTensor, srcTensor, tmp, tiling, softmaxShapeInfo, here); \
    }
#define TWIN_SOFTMAX_GRAD_FRONT(TMP, tmp)                                                        \
    template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>                \
    inline void SoftmaxGradFront(                                                                \
        const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,                       \
        const LocalTensor<T>& srcTensor, TMP(const) const SoftMaxTiling& tiling,                 \
        const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {                              \
        ::twin::softmax::RunGrad<T>(::twin::Opcode::SoftmaxGradFront,                            \
                                    {true, false, isBasicBlock, isDataFormatNZ}, dstTensor,      \
                                    gradTensor, srcTensor, tmp, tiling, softmaxShapeInfo, here); \
    }

namespace AscendC {

/// Computes exp(x - max) / sum for each row of src; sum and max are results.
#define TWIN_SOFTMAX(...) TWIN_SOFTMAX_WITH_STATS(__VA_ARGS__, SoftMax, Softmax)
TWIN_SOFTMAX_FORMS(TWIN_SOFTMAX)
/// Computes SoftMax, but returns no sums and maxima. With isReuseSource, float src is overwritten.
TWIN_TMP_FORMS(TWIN_SOFTMAX_ALONE)
/// Computes exp(x - inMax) / inSum with given maxima and sums.
#define TWIN_SIMPLE_SOFTMAX(...) TWIN_SOFTMAX_WITH_STATS(__VA_ARGS__, SimpleSoftMax, Simple)
TWIN_SOFTMAX_FORMS(TWIN_SIMPLE_SOFTMAX)

/// Sets each row whose maximum has the bits `from` to `to`; returns true if there was such a row.
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
inline bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes, const LocalTensor<T2>& maxTensor,
                             const uint32_t from, const T1 to,
                             const SoftMaxShapeInfo& softmaxShapeInfo, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(AdjustSoftMaxRes, T1, half, float);
    TWIN_REFUSE_DTYPE(AdjustSoftMaxRes, T2, half, float);
    return ::twin::softmax::Adjust(::twin::kDtypeOf<T1>, ::twin::kDtypeOf<T2>, softMaxRes,
                                   maxTensor, from, &to, isDataFormatNZ, stepSizeMode != 0,
                                   softmaxShapeInfo, here);
}

/// Computes log10 of SoftMax; also returns the sums and maxima.
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void LogSoftMax(LocalTensor<T>& dst, const LocalTensor<T>& sumTensor,
                       const LocalTensor<T>& maxTensor, const LocalTensor<T>& src,
                       const LocalTensor<uint8_t>& sharedTmpBuffer, const LogSoftMaxTiling& tiling,
                       const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {
    static_assert(
        !isDataFormatNZ,
        "LogSoftMax: isDataFormatNZ is not modelled; the 8.1 library computes nothing where "
        "shape and tiling fit");
    ::twin::softmax::Run(
        ::twin::softmax::Make(::twin::Opcode::LogSoftMax, ::twin::softmax::Kind::Log, {}, dst,
                              sumTensor, maxTensor, src, sharedTmpBuffer,
                              ::twin::softmax::AsSoftMax(tiling), softmaxShapeInfo),
        here);
}

/// Computes (grad - sum(src * grad)) * src per row; with isFront, does what SoftmaxGradFront does.
TWIN_TMP_FORMS(TWIN_SOFTMAX_GRAD)
/// Computes sum(src * grad) for each row; each sum fills a block.
TWIN_TMP_FORMS(TWIN_SOFTMAX_GRAD_FRONT)

}  // namespace AscendC
