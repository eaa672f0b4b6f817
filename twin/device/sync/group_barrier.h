// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYNC_GROUP_BARRIER_H
#define TWIN_DEVICE_SYNC_GROUP_BARRIER_H

#include "core/core.h"
#include "device/types/enums.h"
#include "device/types/qualifiers.h"

namespace twin {

/// Counters of one barrier between two groups of vector cores, as one core sees it.
struct GroupBarrierState {
    uintptr_t workspace = 0;  ///< a line of 512 B per member: arrivals at byte 0, waits at byte 64
    uint32_t arriveSize = 0;
    uint32_t waitSize = 0;
    uint32_t round = 1;
    bool arrived = false;
};

TWIN_API void GroupBarrierStart(const GroupBarrierState& state, Location where);
TWIN_API void GroupBarrierArrive(GroupBarrierState& state, uint32_t index, Location where);
TWIN_API void GroupBarrierWait(GroupBarrierState& state, uint32_t index, Location where);
TWIN_API uint64_t GroupBarrierBytes(const GroupBarrierState& state);

}  // namespace twin

namespace AscendC {

enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

/// One group of vector cores waits until all of another group have arrived, round after round. The
/// workspace is aligned to 512 B and zeroed before the first use; it takes GetWorkspaceLen() bytes.
template <PipeMode pipeMode>
class GroupBarrier {
    static_assert(pipeMode == PipeMode::MTE3_MODE, "GroupBarrier: only PipeMode::MTE3_MODE exists");

public:
    GroupBarrier() = delete;
    GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn, TWIN_HERE) {
        state_.workspace = reinterpret_cast<uintptr_t>(groupWorkspace);
        state_.arriveSize = arriveSizeIn;
        state_.waitSize = waitSizeIn;
        twin::GroupBarrierStart(state_, here);
    }

    /// arriveIndex is this core's number in the group that the other group waits for.
    void Arrive(uint32_t arriveIndex, TWIN_HERE) {
        twin::GroupBarrierArrive(state_, arriveIndex, here);
    }
    /// waitIndex is this core's number in the group that waits.
    void Wait(uint32_t waitIndex, TWIN_HERE) { twin::GroupBarrierWait(state_, waitIndex, here); }
    uint64_t GetWorkspaceLen() { return twin::GroupBarrierBytes(state_); }

private:
    twin::GroupBarrierState state_;
};

}  // namespace AscendC

#endif  // TWIN_DEVICE_SYNC_GROUP_BARRIER_H
