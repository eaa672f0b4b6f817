// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYNC_SOFT_SYNC_H
#define TWIN_DEVICE_SYNC_SOFT_SYNC_H

#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

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

}  // namespace twin

namespace AscendC {

/// Barrier over the first `usedCores` vector cores (0: all; cube cores pass) with counters in
/// global memory: 32 B per core, zeroed before the first use; UB needs as much.
template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t>& gmWorkspace,
                    const LocalTensor<int32_t>& ubWorkspace, const int32_t usedCores = 0,
                    TWIN_HERE) {
    twin::SoftSyncAll(twin::Of(gmWorkspace), twin::Of(ubWorkspace), usedCores, here);
}

/// Signals the core that waits with the same blockIdx and eventID: writes 1 into their slot of
/// global memory, when the slot is 0. The workspace is zeroed before the first use.
template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
                  int32_t blockIdx, int32_t eventID, TWIN_HERE) {
    twin::BlockSet(twin::Of(gmWorkspace), twin::Of(ubWorkspace), blockIdx, eventID, here);
}

/// Waits until the slot is 1 and sets it back to 0.
template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t>& gmWorkspace,
                   const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx, int32_t eventID,
                   TWIN_HERE) {
    twin::BlockWait(twin::Of(gmWorkspace), twin::Of(ubWorkspace), blockIdx, eventID, here);
}

/// A section that the cores pass in block order, so that atomic copies in it have a fixed order.
/// gmWorkspace: 32 B per core, cleared by block 0 in InitDetermineComputeWorkspace; ubWorkspace: 32
/// B per core and 32 B more, which contain the number of the round.
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace,
                                          LocalTensor<int32_t>& ubWorkspace, TWIN_HERE) {
    twin::InitOrdered(twin::Of(gmWorkspace), twin::Of(ubWorkspace), here);
}
inline void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace,
                         TWIN_HERE) {
    twin::WaitOrdered(twin::Of(gmWorkspace), twin::Of(ubWorkspace), here);
}
inline void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace,
                            TWIN_HERE) {
    twin::NotifyOrdered(twin::Of(gmWorkspace), twin::Of(ubWorkspace), here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SYNC_SOFT_SYNC_H
