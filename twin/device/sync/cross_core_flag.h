// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/core.h"
#include "core/uses.h"
#include "device/types/enums.h"

namespace twin {

TWIN_API void SetCrossCoreFlag(uint32_t mode, Pipe pipe, uint32_t flagId, Location where);
TWIN_API void WaitCrossCoreFlag(uint32_t flagId, Location where);

TWIN_API void HardSyncAll(bool aivOnly, Location where);

}  // namespace twin

namespace AscendC {

/// Flags that the library keeps for itself: SyncAll uses them.
constexpr uint16_t SYNC_AIC_FLAG = 11;
constexpr uint16_t SYNC_AIV_FLAG = 12;
constexpr uint16_t SYNC_AIC_AIV_FLAG = 13;
constexpr uint16_t SYNC_AIV_ONLY_ALL = 14;

/// Mode 0: every core of this kind in the launch sets the flag; their counters go up when all have.
/// Mode 1: the same among the vector cores of one block. Mode 2: a cube core raises the counters of
/// its block's vector cores; these raise the cube core's when all of them have set the flag.
template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flagId, TWIN_HERE) {
    static_assert(modeId <= 2, "CrossCoreSetFlag: modes 0, 1 and 2 exist on A2/A3");
    static_assert(pipe != PIPE_S && pipe != PIPE_ALL,
                  "CrossCoreSetFlag: PIPE_S and PIPE_ALL cannot set it");
    TWIN_USES_HARD_SYNC;
    twin::SetCrossCoreFlag(modeId, static_cast<twin::Pipe>(pipe), flagId, here);
}

/// Waits for the flag: no later instruction of the core begins before. The template arguments have
/// no effect on A2/A3.
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId, TWIN_HERE) {
    twin::WaitCrossCoreFlag(flagId, here);
}

/// The library's names for flags between a cube core and its vector cores (mode 2).
template <pipe_t pipe>
inline void NotifyEvent(uint16_t flagId, TWIN_HERE) {
    CrossCoreSetFlag<2, pipe>(flagId, here);
}
template <pipe_t pipe = PIPE_S>
inline void WaitEvent(uint16_t flagId, TWIN_HERE) {
    CrossCoreWaitFlag(flagId, here);
}

/// Hard barrier over all vector cores of the launch, or, with false, over all its cores. A vector
/// kernel that uses it and names no task type is MIX_AIV_1_0; the twin sees that from the mark that
/// this call leaves. A cube core passes the barrier of the vector cores without waiting.
template <bool isAIVOnly = true>
inline void SyncAll(TWIN_HERE) {
    TWIN_USES_HARD_SYNC;
    twin::HardSyncAll(isAIVOnly, here);
}

}  // namespace AscendC
