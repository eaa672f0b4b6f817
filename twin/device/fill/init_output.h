// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_FILL_INIT_OUTPUT_H
#define TWIN_DEVICE_FILL_INIT_OUTPUT_H

#include "device/fill/fill_global.h"
#include "device/issue/steps.h"

namespace AscendC {

/// Sets `size` elements of global memory to `value`. Other cores see the values after a SyncAll.
template <typename T>
inline void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = 0, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(InitOutput, T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
    constexpr uint32_t kBurstBytes = MAX_REPEAT_TIMES * ONE_BLK_SIZE;
    const ::twin::Steps steps(::twin::Self(), "InitOutput");
    twin::fill::FillGlobal(gmWorkspaceAddr, size, value, kBurstBytes, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_FILL_INIT_OUTPUT_H
