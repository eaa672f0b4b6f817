// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYNC_SYNC_ALL_H
#define TWIN_DEVICE_SYNC_SYNC_ALL_H

#include "core/core.h"

namespace twin {

TWIN_API void HardSyncAll(Location where);

}  // namespace twin

namespace AscendC {

/// Hard barrier over all vector cores of the launch. A kernel that uses it and names no task type
/// is MIX_AIV_1_0; the twin reads that from the mark left here.
template <bool isAIVOnly = true>
inline void SyncAll(TWIN_HERE) {
    static_assert(isAIVOnly,
                  "SyncAll<false> needs the cube core, which this twin does not model yet");
    asm volatile(".pushsection twin_hard_sync, \"a\"\n .byte 1\n .popsection");
    twin::HardSyncAll(here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SYNC_SYNC_ALL_H
