// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/softmax/softmax.h"

namespace twin::softmax {

template <typename T, typename U>
void RunFlash(Task task, const AscendC::LocalTensor<T>& expMax,
              const AscendC::LocalTensor<U>& inSum, const AscendC::LocalTensor<U>& inMax,
              Location where) {
    task.expMax = expMax;
    task.inSum = inSum;
    task.inMax = inMax;
    Run(task, where);
}

}  // namespace twin::softmax

#define TWIN_SOFTMAX_FLASH(TMP, tmp, D, S)                                                         \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                   \
    inline void SoftmaxFlash(const LocalTensor<D>& dstTensor, const LocalTensor<S>& sumTensor,     \
                             const LocalTensor<S>& maxTensor, const LocalTensor<D>& srcTensor,     \
                             const LocalTensor<D>& expMaxTensor,                                   \
                             const LocalTensor<S>& inSumTensor, const LocalTensor<S>& inMaxTensor, \
                             TMP(const) const SoftMaxTiling& tiling, bool isUpdate = false,        \
                             const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {           \
        ::twin::softmax::RunFlash(                                                                 \
            ::twin::softmax::Make(::twin::Opcode::SoftmaxFlash, ::twin::softmax::Kind::Flash,      \
                                  {isUpdate, false, isBasicBlock, false, SOFTMAX_DEFAULT_CFG},     \
                                  dstTensor, sumTensor, maxTensor, srcTensor, tmp, tiling,         \
                                  softmaxShapeInfo),                                               \
            expMaxTensor, inSumTensor, inMaxTensor, here);                                         \
    }
#define TWIN_SOFTMAX_FLASH_V2(TMP, tmp, D, S)                                                     \
    template <typename T, bool isUpdate = false, bool isReuseSource = false,                      \
              bool isBasicBlock = false, bool isDataFormatNZ = false,                             \
              const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                  \
    inline void SoftmaxFlashV2(                                                                   \
        const LocalTensor<D>& dstTensor, const LocalTensor<S>& expSumTensor,                      \
        const LocalTensor<S>& maxTensor, const LocalTensor<D>& srcTensor,                         \
        const LocalTensor<D>& expMaxTensor, const LocalTensor<S>& inExpSumTensor,                 \
        const LocalTensor<S>& inMaxTensor, TMP(const) const SoftMaxTiling& tiling,                \
        const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {                               \
        ::twin::softmax::RunFlash(                                                                \
            ::twin::softmax::Make(::twin::Opcode::SoftmaxFlashV2, ::twin::softmax::Kind::FlashV2, \
                                  {isUpdate, false, isBasicBlock, isDataFormatNZ, config},        \
                                  dstTensor, expSumTensor, maxTensor, srcTensor, tmp, tiling,     \
                                  softmaxShapeInfo),                                              \
            expMaxTensor, inExpSumTensor, inMaxTensor, here);                                     \
    }

#define TWIN_SOFTMAX_FLASH_V3(TMP, tmp)                                                            \
    template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false,           \
              bool isBasicBlock = false, bool isDataFormatNZ = false,                              \
              const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                   \
    inline void SoftmaxFlashV3(                                                                    \
        const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,                         \
        const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,                       \
        const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,                       \
        const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,                  \
        const LocalTensor<U>& inMaxTensor, TMP(const) const SoftMaxTiling& tiling,                 \
        const SoftMaxParams& params, TWIN_HERE) {                                                  \
        static_assert(std::is_same_v<T, half> && std::is_same_v<U, float>,                         \
                      "SoftmaxFlashV3 takes half, with float means, sums and maxima");             \
        static_assert(!isReuseSource && !isBasicBlock && !isDataFormatNZ,                          \
                      "SoftmaxFlashV3: isReuseSource, isBasicBlock and isDataFormatNZ are false"); \
        auto task = ::twin::softmax::Make(                                                         \
            ::twin::Opcode::SoftmaxFlashV3, ::twin::softmax::Kind::FlashV3,                        \
            {isUpdate, false, false, false, config}, dstTensor, expSumTensor, maxTensor,           \
            srcTensor, tmp, tiling, {params.srcM, params.srcK, params.oriSrcM, params.oriSrcK});   \
        task.mean = meanTensor;                                                                    \
        task.inMean = inMeanTensor;                                                                \
        task.params = params;                                                                      \
        ::twin::softmax::RunFlash(task, expMaxTensor, inExpSumTensor, inMaxTensor, here);          \
    }

#define TWIN_SOFTMAX_FLASH_V2_MAX(TMP, tmp)                                                      \
    template <typename T, bool isUpdate = false, bool isReuseSource = false,                     \
              bool isBasicBlock = false, bool isDataFormatNZ = false,                            \
              const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                 \
    inline void SoftmaxFlashV2(const LocalTensor<T>& dstTensor,                                  \
                               const LocalTensor<T>& outReduceMax,                               \
                               const LocalTensor<T>& outExpSum, const LocalTensor<T>& outMax,    \
                               const LocalTensor<T>& srcTensor, const LocalTensor<T>& outExpMax, \
                               const LocalTensor<T>& inExpSum, const LocalTensor<T>& inMax,      \
                               TMP(const) const SoftMaxTiling& tiling,                           \
                               const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {       \
        auto task = ::twin::softmax::Make(                                                       \
            ::twin::Opcode::SoftmaxFlashV2, ::twin::softmax::Kind::FlashV2,                      \
            {isUpdate, false, isBasicBlock, false, ::twin::softmax::PackedConfig<config>()},     \
            dstTensor, outExpSum, outMax, srcTensor, tmp, tiling, softmaxShapeInfo);             \
        task.rowMax = outReduceMax;                                                              \
        task.hasRowMax = true;                                                                   \
        ::twin::softmax::RunFlash(task, outExpMax, inExpSum, inMax, here);                       \
    }

namespace AscendC {

/// Computes the softmax of a part of the columns. With isUpdate, inSum and inMax belong to earlier
/// columns, and expMax is the factor for the earlier result. Without isUpdate, this is SoftMax.
TWIN_SOFTMAX_FORMS(TWIN_SOFTMAX_FLASH)
/// Computes exp(x - max) and the sum of exp(x - max) per row: SoftmaxFlash without the division.
/// With isUpdate, also computes expMax = exp(inMax - max).
TWIN_SOFTMAX_FORMS(TWIN_SOFTMAX_FLASH_V2)
/// The same; with isUpdate, outReduceMax gets the maxima without inMax. It is newer than CANN 8.1.
TWIN_TMP_FORMS(TWIN_SOFTMAX_FLASH_V2_MAX)
/// Computes SoftmaxFlashV2 after moving each eighth of a row towards the row's mean (PASA).
TWIN_TMP_FORMS(TWIN_SOFTMAX_FLASH_V3)

}  // namespace AscendC
