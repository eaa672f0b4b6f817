// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/core.h"
#include "core/uses.h"
#include "device/types/enums.h"

namespace twin {

TWIN_API void SetCrossCoreFlag(uint32_t mode, Pipe pipe, uint32_t flagId, Location where);
TWIN_API void WaitCrossCoreFlag(uint32_t flagId, Location where);

/// Fails unless `address` is kHardwareSyncAddress.
TWIN_API void SetHardwareSyncAddress(uint64_t address, Location where);

TWIN_API void HardSyncAll(bool aivOnly, Location where);

}  // namespace twin

namespace AscendC {

/// Ids of the flags that the toolkit's library reserves for SyncAll.
constexpr uint16_t SYNC_AIC_FLAG = 11;
constexpr uint16_t SYNC_AIV_FLAG = 12;
constexpr uint16_t SYNC_AIC_AIV_FLAG = 13;
constexpr uint16_t SYNC_AIV_ONLY_ALL = 14;

/// Sets the address of the chip's flags between cores, which the host gets from
/// aclrtGetHardwareSyncAddr. The twin needs no address, but checks it.
inline void SetSyncBaseAddr(uint64_t config, TWIN_HERE) {
    twin::SetHardwareSyncAddress(config, here);
}

/// Sets a flag. Mode 0: when all cores of the caller's kind have set it, their counters go up by 1.
/// Mode 1: like mode 0, for the vector cores of one block. Mode 2: a cube core raises the counters
/// of its vector cores; when all vector cores have set the flag, the cube core's counter goes up.
template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flagId, TWIN_HERE) {
    static_assert(modeId <= 2, "CrossCoreSetFlag: modes 0, 1 and 2 exist on A2/A3");
    static_assert(pipe != PIPE_S && pipe != PIPE_ALL,
                  "CrossCoreSetFlag: PIPE_S and PIPE_ALL cannot set it");
    TWIN_USES_HARD_SYNC;
    twin::SetCrossCoreFlag(modeId, static_cast<twin::Pipe>(pipe), flagId, here);
}

/// Waits until the flag's counter is not 0, and subtracts 1. Later instructions of the core wait,
/// too. The template arguments have no effect on A2 and A3.
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId, TWIN_HERE) {
    twin::WaitCrossCoreFlag(flagId, here);
}

/// Sets a flag between a cube core and its vector cores (mode 2); WaitEvent waits for it.
template <pipe_t pipe>
inline void NotifyEvent(uint16_t flagId, TWIN_HERE) {
    CrossCoreSetFlag<2, pipe>(flagId, here);
}
template <pipe_t pipe = PIPE_S>
inline void WaitEvent(uint16_t flagId, TWIN_HERE) {
    CrossCoreWaitFlag(flagId, here);
}

/// Waits for all vector cores of the launch or, if isAIVOnly is false, for all cores. A cube core
/// does not wait for a barrier of vector cores. Because of TWIN_USES_HARD_SYNC, a vector kernel
/// without a task type becomes a MIX_AIV_1_0 kernel.
template <bool isAIVOnly = true>
inline void SyncAll(TWIN_HERE) {
    TWIN_USES_HARD_SYNC;
    twin::HardSyncAll(isAIVOnly, here);
}

}  // namespace AscendC
