// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYNC_BUILTINS_H
#define TWIN_DEVICE_SYNC_BUILTINS_H

// Built-in functions of the device compiler, from which SetFlag, WaitFlag and PipeBarrier are made.
#include "device/sync/events.h"
#include "device/types/enums.h"

namespace twin {

/// Returns the HardEvent between two pipes; fails if there is none.
TWIN_API AscendC::HardEvent EventBetween(Pipe source, Pipe destination, const char* api,
                                         Location where);

}  // namespace twin

inline void set_flag(pipe_t pipe, pipe_t waiter, int32_t eventId, TWIN_HERE) {
    const auto event = twin::EventBetween(static_cast<twin::Pipe>(pipe),
                                          static_cast<twin::Pipe>(waiter), "set_flag", here);
    twin::IssueSetFlag(event, eventId, twin::QueueEvent::None, here);
}
inline void wait_flag(pipe_t pipe, pipe_t waiter, int32_t eventId, TWIN_HERE) {
    const auto event = twin::EventBetween(static_cast<twin::Pipe>(pipe),
                                          static_cast<twin::Pipe>(waiter), "wait_flag", here);
    twin::IssueWaitFlag(event, eventId, twin::QueueEvent::None, here);
}
inline void pipe_barrier(pipe_t pipe, TWIN_HERE) {
    twin::IssueBarrier("pipe_barrier", static_cast<twin::Pipe>(pipe), here);
}

#endif  // TWIN_DEVICE_SYNC_BUILTINS_H
