// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_FILL_ARITH_PROGRESSION_H
#define TWIN_DEVICE_FILL_ARITH_PROGRESSION_H

#include "device/fill/patterns.h"

namespace AscendC {

/// dst[i] = firstValue + i * diffValue; if there is more than one block, the last block is filled
/// to its end.
template <typename T>
inline void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue,
                             const int32_t count, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ArithProgression, T, half, float, int16_t, int32_t);
    twin::fill::RunProgression(twin::kDtypeOf<T>, twin::Of(dst), &firstValue, &diffValue, count,
                               here);
}

/// The newer name of ArithProgression.
template <typename T>
inline void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue,
                   const int32_t count, TWIN_HERE) {
    ArithProgression<T>(dst, firstValue, diffValue, count, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_FILL_ARITH_PROGRESSION_H
