// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYNC_SYNC_ALL_H
#define TWIN_DEVICE_SYNC_SYNC_ALL_H

#include "core/core.h"
#include "core/uses.h"

namespace twin {

TWIN_API void HardSyncAll(bool aivOnly, Location where);

}  // namespace twin

namespace AscendC {

/// Hard barrier over all vector cores of the launch, or, with false, over all its cores. A vector
/// kernel that uses it and names no task type is MIX_AIV_1_0; the twin sees that from the mark that
/// this call leaves. A cube core passes the barrier of the vector cores without waiting.
template <bool isAIVOnly = true>
inline void SyncAll(TWIN_HERE) {
    TWIN_USES_HARD_SYNC;
    twin::HardSyncAll(isAIVOnly, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SYNC_SYNC_ALL_H
