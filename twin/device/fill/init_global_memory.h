// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_FILL_INIT_GLOBAL_MEMORY_H
#define TWIN_DEVICE_FILL_INIT_GLOBAL_MEMORY_H

#include "device/fill/fill_global.h"
#include "device/issue/steps.h"
#include "device/sync/pipe_barrier.h"

namespace AscendC {

/// Sets `size` elements of global memory to `value` and waits for the copies. Other cores see the
/// values after a SyncAll.
template <typename T>
inline void InitGlobalMemory(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value,
                             TWIN_HERE) {
    TWIN_REFUSE_DTYPE(InitGlobalMemory, T, half, bfloat16_t, float, int16_t, uint16_t, int32_t,
                      uint32_t);
    constexpr uint32_t kBurstBytes = MAX_REPEAT_TIMES * ONE_REPEAT_BYTE_SIZE;
    const ::twin::Steps steps(::twin::Self(), "InitGlobalMemory");
    twin::fill::FillGlobal(gmWorkspaceAddr, size, value, kBurstBytes, here);
    PipeBarrier<PIPE_MTE3>(here);
}

/// The newer name of InitGlobalMemory.
template <typename T>
inline void Fill(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value, TWIN_HERE) {
    InitGlobalMemory<T>(gmWorkspaceAddr, size, value, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_FILL_INIT_GLOBAL_MEMORY_H
