// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYNC_FLAGS_H
#define TWIN_DEVICE_SYNC_FLAGS_H

#include "core/core.h"
#include "core/uses.h"
#include "device/sync/events.h"
#include "device/types/enums.h"

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

}  // namespace AscendC

// Built-in functions of the device compiler, from which SetFlag, WaitFlag and PipeBarrier are made.
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
    twin::IssueBarrier(twin::Opcode::PipeBarrierBuiltin, static_cast<twin::Pipe>(pipe), here);
}

namespace twin {

TWIN_API void SetCrossCoreFlag(uint32_t mode, Pipe pipe, uint32_t flagId, Location where);
TWIN_API void WaitCrossCoreFlag(uint32_t flagId, Location where);

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

/// Blocks all further instructions of the core. The template arguments have no effect on A2/A3.
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId, TWIN_HERE) {
    twin::WaitCrossCoreFlag(flagId, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SYNC_FLAGS_H
