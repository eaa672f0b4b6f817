// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_COMMON_SYNC_H
#define OP_KERNEL_COMMON_SYNC_H

#include "kernel_operator.h"

namespace ops {

/// The second pipe of `kEvent` waits until the first one has done everything it was given so far.
/// Use it for an order that no queue makes.
template <AscendC::HardEvent kEvent>
__aicore__ inline void Sync() {
    const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(kEvent));
    AscendC::SetFlag<kEvent>(id);
    AscendC::WaitFlag<kEvent>(id);
}

}  // namespace ops

#endif  // OP_KERNEL_COMMON_SYNC_H
