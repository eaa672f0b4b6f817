// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "device/data_copy/data_copy_pad.h"
#include "device/issue/range_list.h"
#include "device/pipe/spm.h"
#include "device/sync/events.h"
#include "device/vec/duplicate.h"

namespace twin::fill {

/// Fills `size` elements of global memory from the UB after the last InitBuffer, which holds the
/// value up to `burstBytes` long. It does not wait for copies that are still reading that UB.
template <typename T>
inline void FillGlobal(const AscendC::GlobalTensor<T>& gm, uint64_t size, const T& value,
                       uint32_t burstBytes, Location here) {
    using AscendC::HardEvent;
    if (Self().kind != CoreKind::Aiv) {
        return;
    }
    AscendC::LocalTensor<T> pattern;
    AscendC::PopStackBuffer<T, AscendC::TPosition::LCM>(pattern, here);
    const uint64_t burst = std::min<uint64_t>(pattern.GetSize(), burstBytes / sizeof(T));
    AscendC::Duplicate(pattern, value, static_cast<int32_t>(burst), here);
    const auto id = GetTPipePtr()->FetchEventID<HardEvent::V_MTE3>(here);
    AscendC::SetFlag<HardEvent::V_MTE3>(id, here);
    AscendC::WaitFlag<HardEvent::V_MTE3>(id, here);
    for (uint64_t done = 0; done < size; done += burst) {
        const uint64_t bytes = std::min(burst, size - done) * sizeof(T);
        const AscendC::DataCopyExtParams params(1, static_cast<uint32_t>(bytes), 0, 0, 0);
        AscendC::DataCopyPad(gm[done], pattern, params, here);
    }
}

}  // namespace twin::fill

namespace AscendC {

/// Sets `size` elements of global memory to `value` and waits for the copies. Other cores see the
/// values after a SyncAll.
template <typename T>
inline void InitGlobalMemory(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value,
                             TWIN_HERE) {
    TWIN_REFUSE_DTYPE(InitGlobalMemory, T, half, bfloat16_t, float, int16_t, uint16_t, int32_t,
                      uint32_t);
    constexpr uint32_t kBurstBytes = MAX_REPEAT_TIMES * ONE_REPEAT_BYTE_SIZE;
    const ::twin::Steps steps(::twin::Self(), ::twin::Opcode::InitGlobalMemory);
    twin::fill::FillGlobal(gmWorkspaceAddr, size, value, kBurstBytes, here);
    PipeBarrier<PIPE_MTE3>(here);
}

/// The newer name of InitGlobalMemory.
template <typename T>
inline void Fill(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value, TWIN_HERE) {
    InitGlobalMemory<T>(gmWorkspaceAddr, size, value, here);
}

/// Sets `size` elements of global memory to `value`. Other cores see the values after a SyncAll.
template <typename T>
inline void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = 0, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(InitOutput, T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
    constexpr uint32_t kBurstBytes = MAX_REPEAT_TIMES * ONE_BLK_SIZE;
    const ::twin::Steps steps(::twin::Self(), ::twin::Opcode::InitOutput);
    twin::fill::FillGlobal(gmWorkspaceAddr, size, value, kBurstBytes, here);
}

}  // namespace AscendC
