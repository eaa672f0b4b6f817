// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SOFTMAX_LOG_SOFTMAX_H
#define TWIN_DEVICE_SOFTMAX_LOG_SOFTMAX_H

#include "device/softmax/task.h"

namespace twin::softmax {

inline SoftMaxTiling AsSoftMax(const LogSoftMaxTiling& tiling) {
    static_assert(sizeof(SoftMaxTiling) == sizeof(LogSoftMaxTiling), "the same fields");
    SoftMaxTiling same;
    __builtin_memcpy(static_cast<void*>(&same), &tiling, sizeof(same));
    return same;
}

}  // namespace twin::softmax

namespace AscendC {

/// log10 of SoftMax, with sums and maxima.
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void LogSoftMax(LocalTensor<T>& dst, const LocalTensor<T>& sumTensor,
                       const LocalTensor<T>& maxTensor, const LocalTensor<T>& src,
                       const LocalTensor<uint8_t>& sharedTmpBuffer, const LogSoftMaxTiling& tiling,
                       const SoftMaxShapeInfo& softmaxShapeInfo = {}, TWIN_HERE) {
    static_assert(
        !isDataFormatNZ,
        "LogSoftMax: isDataFormatNZ is not modelled; the 8.1 library computes nothing where "
        "shape and tiling fit");
    auto task = ::twin::softmax::Make(::twin::Opcode::LogSoftMax, ::twin::softmax::Kind::Log, {},
                                      dst, sumTensor, maxTensor, src,
                                      ::twin::softmax::AsSoftMax(tiling), softmaxShapeInfo);
    task.tmp = sharedTmpBuffer;
    ::twin::softmax::Run(task, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SOFTMAX_LOG_SOFTMAX_H
