// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYNC_EVENTS_H
#define TWIN_DEVICE_SYNC_EVENTS_H

#include <cstdint>

#include "core/core.h"
#include "core/instruction.h"
#include "device/types/enums.h"

namespace twin {

/// Why a flag is issued: by hand, or by an operation of a queue, on one of its buffers.
struct FlagCause {
    QueueEvent event;
    int16_t queue = -1;
    int16_t slot = -1;

    FlagCause(QueueEvent event, int16_t queue = -1, int16_t slot = -1)
        : event(event), queue(queue), slot(slot) {}
};

/// Flags and event ids. On the twin, instructions take effect in program order, so a flag does not
/// change the order here. Where the chip would hang, the twin reports an error, and observers see
/// every pair of set and wait.
TWIN_API void IssueSetFlag(AscendC::HardEvent event, int32_t id, FlagCause cause, Location where);
TWIN_API void IssueWaitFlag(AscendC::HardEvent event, int32_t id, FlagCause cause, Location where);
/// Reserves the lowest free id.
TWIN_API AscendC::TEventID ReserveEvent(AscendC::HardEvent event, Location where);
TWIN_API void ReleaseEvent(AscendC::HardEvent event, AscendC::TEventID id, Location where);
/// Returns the lowest free id without reserving it.
TWIN_API AscendC::TEventID PeekEvent(AscendC::HardEvent event, Location where);
TWIN_API void IssueBarrier(Opcode opcode, Pipe pipe, Location where,
                           const Instruction::Kind& kind = record::Barrier{});

}  // namespace twin

#endif  // TWIN_DEVICE_SYNC_EVENTS_H
