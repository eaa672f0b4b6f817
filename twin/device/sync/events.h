// SPDX-License-Identifier: Apache-2.0
#pragma once

// Built-in functions of the device compiler, from which SetFlag, WaitFlag and PipeBarrier are made.
#include <cstdint>

#include "core/core.h"
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
/// Sets the lowest free flag and waits for it at once, as the library does where pipes change.
TWIN_API void SyncPipes(AscendC::HardEvent event, Location where);
TWIN_API void IssueBarrier(Opcode opcode, Pipe pipe, Location where);

/// Returns the event from one pipe to another; ends the task with T304 if the vector core has none.
TWIN_API AscendC::HardEvent EventBetween(pipe_t source, pipe_t destination, Location where);

/// Returns the HardEvent between two pipes; fails if there is none.
TWIN_API AscendC::HardEvent EventBetween(Pipe source, Pipe destination, const char* api,
                                         Location where);

}  // namespace twin

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

/// Waits for everything issued to `pipe` before. PIPE_S needs no barrier: the scalar unit works in
/// order.
template <pipe_t pipe>
inline void PipeBarrier(TWIN_HERE) {
    static_assert(pipe != PIPE_S,
                  "PipeBarrier<PIPE_S> does not exist: the scalar unit works in order");
    twin::IssueBarrier(twin::Opcode::PipeBarrier, static_cast<twin::Pipe>(pipe), here);
}

/// Waits for the memory accesses of the scalar unit.
template <MemDsbT arg0>
inline void DataSyncBarrier(TWIN_HERE) {
    twin::IssueBarrier(twin::Opcode::DataSyncBarrier, twin::Pipe::S, here);
}

/// These set a flag and wait for it, with pipes instead of an event.
template <pipe_t src, pipe_t dst>
class TQueSync {
    static_assert(src != dst, "TQueSync: the two pipes must differ");
    static_assert(src != PIPE_ALL && dst != PIPE_ALL, "TQueSync: PIPE_ALL has no flags");

public:
    void SetFlag(TEventID id, TWIN_HERE) {
        twin::IssueSetFlag(twin::EventBetween(src, dst, here), id, twin::QueueEvent::None, here);
    }
    void WaitFlag(TEventID id, TWIN_HERE) {
        twin::IssueWaitFlag(twin::EventBetween(src, dst, here), id, twin::QueueEvent::None, here);
    }
};

}  // namespace AscendC

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
    twin::IssueBarrier(twin::Opcode::PipeBarrierBuiltin, static_cast<twin::Pipe>(pipe), here);
}
