// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/core.h"
#include "device/types/enums.h"

namespace twin {

/// The reason for a flag: a call by the kernel itself, or an operation on a buffer of a queue.
struct FlagCause {
    QueueEvent event;
    int16_t queue = -1;
    int16_t slot = -1;

    FlagCause(QueueEvent event, int16_t queue = -1, int16_t slot = -1)
        : event(event), queue(queue), slot(slot) {}
};

/// Records a SetFlag; fails if the flag is still set (T302). IssueWaitFlag fails if the flag is not
/// set (T303). Flags do not change the order on the twin, where instructions take effect in program
/// order.
TWIN_API void IssueSetFlag(AscendC::HardEvent event, int32_t id, FlagCause cause, Location where);
TWIN_API void IssueWaitFlag(AscendC::HardEvent event, int32_t id, FlagCause cause, Location where);
/// Reserves the lowest free event id.
TWIN_API AscendC::TEventID ReserveEvent(AscendC::HardEvent event, Location where);
TWIN_API void ReleaseEvent(AscendC::HardEvent event, AscendC::TEventID id, Location where);
/// Returns the lowest free event id without reserving it.
TWIN_API AscendC::TEventID PeekEvent(AscendC::HardEvent event, Location where);
/// Sets a free flag of `event` and waits for it at once, as the library does between two pipes.
TWIN_API void SyncPipes(AscendC::HardEvent event, Location where);
TWIN_API void IssueBarrier(Opcode opcode, Pipe pipe, Location where);

/// Returns the event from one pipe to another; fails with T304 if no such event exists.
TWIN_API AscendC::HardEvent EventBetween(pipe_t source, pipe_t destination, Location where);

/// Returns the event between two pipes; if none exists, reports T304 for the call `api`.
TWIN_API AscendC::HardEvent EventBetween(Pipe source, Pipe destination, const char* api,
                                         Location where);

}  // namespace twin

namespace AscendC {

/// Sets flag `eventID` (0 to 7) when all earlier instructions of the event's source pipe have
/// finished.
template <HardEvent event>
inline void SetFlag(int32_t eventID, TWIN_HERE) {
    twin::IssueSetFlag(event, eventID, twin::QueueEvent::None, here);
}

/// Stops the event's destination pipe until the flag is set, and clears the flag.
template <HardEvent event>
inline void WaitFlag(int32_t eventID, TWIN_HERE) {
    twin::IssueWaitFlag(event, eventID, twin::QueueEvent::None, here);
}

/// Makes later instructions of `pipe` wait for all earlier ones. PIPE_S needs no barrier, because
/// the scalar unit works in order.
template <pipe_t pipe>
inline void PipeBarrier(TWIN_HERE) {
    static_assert(pipe != PIPE_S,
                  "PipeBarrier<PIPE_S> does not exist: the scalar unit works in order");
    twin::IssueBarrier(twin::Opcode::PipeBarrier, static_cast<twin::Pipe>(pipe), here);
}

/// Waits for the scalar unit's earlier memory accesses. The twin only records the call.
template <MemDsbT arg0>
inline void DataSyncBarrier(TWIN_HERE) {
    twin::IssueBarrier(twin::Opcode::DataSyncBarrier, twin::Pipe::S, here);
}

/// An inner name of the toolkit for a barrier of the compiler.
inline void Barrier() { __asm__ __volatile__("" ::: "memory"); }

/// Sets flags and waits for them. The template arguments name two pipes instead of an event.
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

// Built-in functions of the device compiler, on which SetFlag, WaitFlag and PipeBarrier are based.
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
