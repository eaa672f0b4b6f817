// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_ACTIVATION_SWISH_H
#define TWIN_DEVICE_ACTIVATION_SWISH_H

#include "device/library/elementwise.h"

namespace AscendC {

/// src / (1 + e^-src), every step rounded to the type.
template <typename T, bool isReuseSource = false>
inline void Silu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize,
                 TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Silu, T, half, float);
    twin::advanced::RunUnary({"Silu", twin::advanced::ElementaryOp::Silu, twin::kDtypeOf<T>},
                             twin::Of(dstLocal), twin::Of(srcLocal), {}, dataSize, here);
}

/// src / (1 + e^(-scalarValue src)), every step rounded to the type.
template <typename T, bool isReuseSource = false>
inline void Swish(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize,
                  const T scalarValue, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Swish, T, half, float);
    const float factor = static_cast<float>(static_cast<T>(-static_cast<float>(scalarValue)));
    twin::advanced::RunUnary(
        {"Swish", twin::advanced::ElementaryOp::Swish, twin::kDtypeOf<T>, false, factor},
        twin::Of(dstLocal), twin::Of(srcLocal), {}, dataSize, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_ACTIVATION_SWISH_H
