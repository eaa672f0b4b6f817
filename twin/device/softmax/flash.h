// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SOFTMAX_FLASH_H
#define TWIN_DEVICE_SOFTMAX_FLASH_H

#include "device/softmax/task.h"
#include "device/softmax/tiling.h"

namespace twin::softmax {

template <typename T, typename U>
void RunFlash(Opcode api, Kind kind, const Flags& flags, const AscendC::LocalTensor<T>& dst,
              const AscendC::LocalTensor<U>& sum, const AscendC::LocalTensor<U>& max,
              const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<T>& expMax,
              const AscendC::LocalTensor<U>& inSum, const AscendC::LocalTensor<U>& inMax,
              const advanced::Tmp& tmp, const SoftMaxTiling& tiling,
              const AscendC::SoftMaxShapeInfo& shape, Location where) {
    Task task = Make(api, kind, flags, dst, sum, max, src, tiling, shape);
    task.expMax = Of(expMax);
    task.inSum = Of(inSum);
    task.inMax = Of(inMax);
    task.tmp = tmp;
    Run(task, where);
}

}  // namespace twin::softmax

namespace AscendC {

/// Softmax in pieces. With isUpdate the call also gets the sums and maxima of the previous columns,
/// and expMax is the factor for their result. Without isUpdate it is SoftMax.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor,
                         const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                         const LocalTensor<T>& expMaxTensor, const LocalTensor<T>& inSumTensor,
                         const LocalTensor<T>& inMaxTensor,
                         const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                         bool isUpdate = false, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                         TWIN_HERE) {
    ::twin::softmax::RunFlash(::twin::Opcode::SoftmaxFlash, ::twin::softmax::Kind::Flash,
                              {isUpdate, false, isBasicBlock, false, SOFTMAX_DEFAULT_CFG},
                              dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor, inSumTensor,
                              inMaxTensor, sharedTmpBuffer, tiling, softmaxShapeInfo, here);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor,
                         const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                         const LocalTensor<T>& expMaxTensor, const LocalTensor<T>& inSumTensor,
                         const LocalTensor<T>& inMaxTensor, const SoftMaxTiling& tiling,
                         bool isUpdate = false, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                         TWIN_HERE) {
    ::twin::softmax::RunFlash(::twin::Opcode::SoftmaxFlash, ::twin::softmax::Kind::Flash,
                              {isUpdate, false, isBasicBlock, false, SOFTMAX_DEFAULT_CFG},
                              dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor, inSumTensor,
                              inMaxTensor, {}, tiling, softmaxShapeInfo, here);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,
                         const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                         const LocalTensor<half>& expMaxTensor,
                         const LocalTensor<float>& inSumTensor,
                         const LocalTensor<float>& inMaxTensor,
                         const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                         bool isUpdate = false, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                         TWIN_HERE) {
    ::twin::softmax::RunFlash(::twin::Opcode::SoftmaxFlash, ::twin::softmax::Kind::Flash,
                              {isUpdate, false, isBasicBlock, false, SOFTMAX_DEFAULT_CFG},
                              dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor, inSumTensor,
                              inMaxTensor, sharedTmpBuffer, tiling, softmaxShapeInfo, here);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,
                         const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                         const LocalTensor<half>& expMaxTensor,
                         const LocalTensor<float>& inSumTensor,
                         const LocalTensor<float>& inMaxTensor, const SoftMaxTiling& tiling,
                         bool isUpdate = false, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                         TWIN_HERE) {
    ::twin::softmax::RunFlash(::twin::Opcode::SoftmaxFlash, ::twin::softmax::Kind::Flash,
                              {isUpdate, false, isBasicBlock, false, SOFTMAX_DEFAULT_CFG},
                              dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor, inSumTensor,
                              inMaxTensor, {}, tiling, softmaxShapeInfo, here);
}

/// Does the same without the division: exp(x - max), its sums, and with isUpdate expMax = exp(inMax
/// - max).
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& expSumTensor,
                           const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                           const LocalTensor<T>& expMaxTensor, const LocalTensor<T>& inExpSumTensor,
                           const LocalTensor<T>& inMaxTensor,
                           const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {
    ::twin::softmax::RunFlash(::twin::Opcode::SoftmaxFlashV2, ::twin::softmax::Kind::FlashV2,
                              {isUpdate, false, isBasicBlock, isDataFormatNZ, config}, dstTensor,
                              expSumTensor, maxTensor, srcTensor, expMaxTensor, inExpSumTensor,
                              inMaxTensor, sharedTmpBuffer, tiling, softmaxShapeInfo, here);
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& expSumTensor,
                           const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                           const LocalTensor<T>& expMaxTensor, const LocalTensor<T>& inExpSumTensor,
                           const LocalTensor<T>& inMaxTensor, const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {
    ::twin::softmax::RunFlash(::twin::Opcode::SoftmaxFlashV2, ::twin::softmax::Kind::FlashV2,
                              {isUpdate, false, isBasicBlock, isDataFormatNZ, config}, dstTensor,
                              expSumTensor, maxTensor, srcTensor, expMaxTensor, inExpSumTensor,
                              inMaxTensor, {}, tiling, softmaxShapeInfo, here);
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<half>& dstTensor,
                           const LocalTensor<float>& expSumTensor,
                           const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                           const LocalTensor<half>& expMaxTensor,
                           const LocalTensor<float>& inExpSumTensor,
                           const LocalTensor<float>& inMaxTensor,
                           const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {
    ::twin::softmax::RunFlash(::twin::Opcode::SoftmaxFlashV2, ::twin::softmax::Kind::FlashV2,
                              {isUpdate, false, isBasicBlock, isDataFormatNZ, config}, dstTensor,
                              expSumTensor, maxTensor, srcTensor, expMaxTensor, inExpSumTensor,
                              inMaxTensor, sharedTmpBuffer, tiling, softmaxShapeInfo, here);
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<half>& dstTensor,
                           const LocalTensor<float>& expSumTensor,
                           const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                           const LocalTensor<half>& expMaxTensor,
                           const LocalTensor<float>& inExpSumTensor,
                           const LocalTensor<float>& inMaxTensor, const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {
    ::twin::softmax::RunFlash(::twin::Opcode::SoftmaxFlashV2, ::twin::softmax::Kind::FlashV2,
                              {isUpdate, false, isBasicBlock, isDataFormatNZ, config}, dstTensor,
                              expSumTensor, maxTensor, srcTensor, expMaxTensor, inExpSumTensor,
                              inMaxTensor, {}, tiling, softmaxShapeInfo, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SOFTMAX_FLASH_H
