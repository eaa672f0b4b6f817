// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_CLAMP_H
#define TWIN_DEVICE_MATH_CLAMP_H

#include "device/library/elementwise.h"

// A comparison into the scratch and a Select in its scalar mode, so the 8 KiB from 184 KiB on are
// overwritten, too.
#define TWIN_CLAMP(API)                                                                           \
    template <typename T, bool isReuseSource = false>                                             \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,             \
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar,                  \
                    const uint32_t calCount, TWIN_HERE) {                                         \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                   \
        ::twin::advanced::RunUnary({#API, ::twin::advanced::ElementaryOp::API,                    \
                                    ::twin::kDtypeOf<T>, false, static_cast<float>(scalar)},      \
                                   ::twin::Of(dstTensor), ::twin::Of(srcTensor), sharedTmpBuffer, \
                                   calCount, here);                                               \
    }                                                                                             \
    template <typename T, bool isReuseSource = false>                                             \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,             \
                    const T scalar, const uint32_t calCount, TWIN_HERE) {                         \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                   \
        ::twin::advanced::RunUnary({#API, ::twin::advanced::ElementaryOp::API,                    \
                                    ::twin::kDtypeOf<T>, false, static_cast<float>(scalar)},      \
                                   ::twin::Of(dstTensor), ::twin::Of(srcTensor), {}, calCount,    \
                                   here);                                                         \
    }

namespace AscendC {

/// src if it is below the scalar, otherwise the scalar (also for NaN).
TWIN_CLAMP(ClampMax)
/// src if it is above the scalar, otherwise the scalar (also for NaN).
TWIN_CLAMP(ClampMin)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_CLAMP_H
