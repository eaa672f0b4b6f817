// SPDX-License-Identifier: Apache-2.0
#include "moe_init_routing_v2_grad/copy_kernel.h"
#include "moe_init_routing_v2_grad/kernel.h"

extern "C" __global__ __aicore__ void moe_init_routing_v2_grad(GM_ADDR grad_expanded_x,
                                                               GM_ADDR expanded_row_idx,
                                                               GM_ADDR grad_x, GM_ADDR workspace,
                                                               GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(MoeInitRoutingV2GradTilingData);
    // Units of 2 KiB. A core would load each unit only when it needs the unit.
    AscendC::ICachePreLoad(6);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    if (tilingData.slots == 1) {
        ops::MoeInitRoutingV2GradOp::CopyKernel<DTYPE_GRAD_EXPANDED_X> op;
        op.Init(grad_expanded_x, expanded_row_idx, grad_x, &tilingData, &pipe);
        op.Process();
    } else {
        ops::MoeInitRoutingV2GradOp::Kernel<DTYPE_GRAD_EXPANDED_X> op;
        op.Init(grad_expanded_x, expanded_row_idx, grad_x, &tilingData, &pipe);
        op.Process();
    }
}
