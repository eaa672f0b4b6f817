// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYNC_EVENTS_H
#define TWIN_DEVICE_SYNC_EVENTS_H

#include <cstdint>

#include "core/core.h"
#include "core/instruction.h"
#include "device/types/enums.h"

namespace twin {

/// Flags and event ids. Instructions take effect in program order on the twin, so a flag orders
/// nothing here; what the chip would hang on is an error, and observers see every pair.
TWIN_API void IssueSetFlag(AscendC::HardEvent event, int32_t id, QueueEvent cause, Location where);
TWIN_API void IssueWaitFlag(AscendC::HardEvent event, int32_t id, QueueEvent cause, Location where);
/// Reserves the lowest free id.
TWIN_API AscendC::TEventID ReserveEvent(AscendC::HardEvent event, Location where);
TWIN_API void ReleaseEvent(AscendC::HardEvent event, AscendC::TEventID id, Location where);
/// The lowest free id, which stays free.
TWIN_API AscendC::TEventID PeekEvent(AscendC::HardEvent event, Location where);
TWIN_API void IssueBarrier(const char* opcode, Pipe pipe, Location where);

}  // namespace twin

#endif  // TWIN_DEVICE_SYNC_EVENTS_H
