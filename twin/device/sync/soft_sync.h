// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/core.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"
#include "device/types/dtype.h"
#include "device/types/enums.h"

namespace twin {

TWIN_API void SoftSyncAll(const GmOperand& gm, const Operand& ub, int32_t usedCores,
                          Location where);
TWIN_API void BlockSet(const GmOperand& gm, const Operand& ub, int32_t blockIdx, int32_t eventId,
                       Location where);
TWIN_API void BlockWait(const GmOperand& gm, const Operand& ub, int32_t blockIdx, int32_t eventId,
                        Location where);
TWIN_API void InitOrdered(const GmOperand& gm, const Operand& ub, Location where);
TWIN_API void WaitOrdered(const GmOperand& gm, const Operand& ub, Location where);
TWIN_API void NotifyOrdered(const GmOperand& gm, const Operand& ub, Location where);

/// The state of one core in a barrier between two groups of vector cores.
struct GroupBarrierState {
    uintptr_t workspace = 0;  ///< counters: 512 B per member, arrivals at byte 0, waits at byte 64
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

/// Waits for the first `usedCores` vector cores (0: for all of them). Cube cores do not wait. Both
/// workspaces have 32 B per core. The kernel must set gmWorkspace to zero before its first use.
template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t>& gmWorkspace,
                    const LocalTensor<int32_t>& ubWorkspace, const int32_t usedCores = 0,
                    TWIN_HERE) {
    twin::SoftSyncAll(gmWorkspace, ubWorkspace, usedCores, here);
}

/// Signals the core that calls IBWait with the same blockIdx and eventID. Waits until the slot for
/// these numbers in gmWorkspace is 0, then writes 1. The workspace must be zero before its first
/// use.
template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
                  int32_t blockIdx, int32_t eventID, TWIN_HERE) {
    twin::BlockSet(gmWorkspace, ubWorkspace, blockIdx, eventID, here);
}

/// Waits until the slot for blockIdx and eventID in gmWorkspace is 1, then sets it back to 0.
template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t>& gmWorkspace,
                   const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx, int32_t eventID,
                   TWIN_HERE) {
    twin::BlockWait(gmWorkspace, ubWorkspace, blockIdx, eventID, here);
}

/// Prepares WaitPreBlock and NotifyNextBlock. The cores execute the code between these two calls
/// one after the other, in block order. Block 0 clears gmWorkspace, which has 32 B per core.
/// ubWorkspace has 32 B more, for the number of the round.
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace,
                                          LocalTensor<int32_t>& ubWorkspace, TWIN_HERE) {
    twin::InitOrdered(gmWorkspace, ubWorkspace, here);
}
inline void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace,
                         TWIN_HERE) {
    twin::WaitOrdered(gmWorkspace, ubWorkspace, here);
}
inline void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace,
                            TWIN_HERE) {
    twin::NotifyOrdered(gmWorkspace, ubWorkspace, here);
}

enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

/// A barrier at which one group of vector cores waits for another group, round after round. The
/// workspace has GetWorkspaceLen() bytes, aligned to 512 B and set to zero before its first use.
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

    /// Reports that this core has arrived; `arriveIndex` is its number in the arriving group.
    void Arrive(uint32_t arriveIndex, TWIN_HERE) {
        twin::GroupBarrierArrive(state_, arriveIndex, here);
    }
    /// Waits for the arriving group; `waitIndex` is this core's number in the waiting group.
    void Wait(uint32_t waitIndex, TWIN_HERE) { twin::GroupBarrierWait(state_, waitIndex, here); }
    uint64_t GetWorkspaceLen() { return twin::GroupBarrierBytes(state_); }

private:
    twin::GroupBarrierState state_;
};

}  // namespace AscendC
