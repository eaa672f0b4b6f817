// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_EVENT_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_EVENT_H

#include "kernel_operator.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// A HardEvent with its own event id, for one buffer. The flag is never set twice without a wait:
/// the two flags of a buffer (loaded, free) are set and waited for by turns.
template <AscendC::HardEvent kEvent>
class Event {
public:
    __aicore__ inline void Init() {
        id_ = static_cast<int32_t>(GetTPipePtr()->AllocEventID<kEvent>());
    }
    __aicore__ inline void Set() const { AscendC::SetFlag<kEvent>(id_); }
    __aicore__ inline void Wait() const { AscendC::WaitFlag<kEvent>(id_); }
    __aicore__ inline void Release() const { GetTPipePtr()->ReleaseEventID<kEvent>(id_); }

private:
    int32_t id_ = 0;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_EVENT_H
