// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYNC_PIPE_BARRIER_H
#define TWIN_DEVICE_SYNC_PIPE_BARRIER_H

#include "device/sync/events.h"

namespace AscendC {

/// Waits for everything issued to `pipe` before. PIPE_S needs no barrier: the scalar unit works in
/// order.
template <pipe_t pipe>
inline void PipeBarrier(TWIN_HERE) {
    static_assert(pipe != PIPE_S,
                  "PipeBarrier<PIPE_S> does not exist: the scalar unit works in order");
    twin::IssueBarrier("PipeBarrier", static_cast<twin::Pipe>(pipe), here);
}

/// Waits for the memory accesses of the scalar unit.
template <MemDsbT arg0>
inline void DataSyncBarrier(TWIN_HERE) {
    twin::IssueBarrier("DataSyncBarrier", twin::Pipe::S, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SYNC_PIPE_BARRIER_H
