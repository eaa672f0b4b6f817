// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYNC_FLAGS_H
#define TWIN_DEVICE_SYNC_FLAGS_H

#include "device/sync/events.h"

namespace AscendC {

/// Sets flag `eventID` (0..7) of the event's source pipe when everything issued to that pipe before
/// has finished.
template <HardEvent event>
inline void SetFlag(int32_t eventID, TWIN_HERE) {
    twin::IssueSetFlag(event, eventID, twin::QueueEvent::None, here);
}

/// Stops the event's destination pipe until the flag is set, and clears the flag.
template <HardEvent event>
inline void WaitFlag(int32_t eventID, TWIN_HERE) {
    twin::IssueWaitFlag(event, eventID, twin::QueueEvent::None, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SYNC_FLAGS_H
