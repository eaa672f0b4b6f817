// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYNC_TQUE_SYNC_H
#define TWIN_DEVICE_SYNC_TQUE_SYNC_H

#include "device/sync/events.h"

namespace twin {

/// The event from one pipe to another; T304 if the vector core has none.
TWIN_API AscendC::HardEvent EventBetween(pipe_t source, pipe_t destination, Location where);

}  // namespace twin

namespace AscendC {

/// SetFlag and WaitFlag, with pipes instead of an event.
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

#endif  // TWIN_DEVICE_SYNC_TQUE_SYNC_H
