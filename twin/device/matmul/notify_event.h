// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATMUL_NOTIFY_EVENT_H
#define TWIN_DEVICE_MATMUL_NOTIFY_EVENT_H

#include "device/sync/flags.h"

namespace AscendC {

/// The library's names for flags between a cube core and its vector cores (mode 2).
template <pipe_t pipe>
inline void NotifyEvent(uint16_t flagId, TWIN_HERE) {
    CrossCoreSetFlag<2, pipe>(flagId, here);
}
template <pipe_t pipe = PIPE_S>
inline void WaitEvent(uint16_t flagId, TWIN_HERE) {
    CrossCoreWaitFlag(flagId, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATMUL_NOTIFY_EVENT_H
