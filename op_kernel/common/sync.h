// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_COMMON_SYNC_H
#define OP_KERNEL_COMMON_SYNC_H

#include "kernel_operator.h"

namespace ops {

/// Makes the second pipe of `kEvent` wait until the first pipe has finished all its instructions so
/// far. Use this where no queue orders the two pipes.
template <AscendC::HardEvent kEvent>
__aicore__ inline void Sync() {
    const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(kEvent));
    AscendC::SetFlag<kEvent>(id);
    AscendC::WaitFlag<kEvent>(id);
}

}  // namespace ops

#endif  // OP_KERNEL_COMMON_SYNC_H
