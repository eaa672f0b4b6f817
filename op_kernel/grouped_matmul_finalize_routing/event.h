// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_EVENT_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_EVENT_H

#include "kernel_operator.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// A HardEvent with an event id of its own; each buffer has one. The flag cannot be set twice
/// without a wait, because the flag that frees the buffer is set and waited for in between.
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
