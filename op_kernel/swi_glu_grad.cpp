// SPDX-License-Identifier: Apache-2.0
#include "swi_glu_grad/kernel.h"
#include "swi_glu_grad/narrow_kernel.h"

extern "C" __global__ __aicore__ void swi_glu_grad(GM_ADDR y_grad, GM_ADDR x, GM_ADDR x_grad,
                                                   GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(SwiGluGradTilingData);
    // Units of 2 KiB. A core would load each unit only when it needs the unit.
    AscendC::ICachePreLoad(5);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    if (tilingData.narrow != 0) {
        ops::SwiGluGradOp::NarrowKernel<DTYPE_X> op;
        op.Init(y_grad, x, x_grad, &tilingData, &pipe);
        op.Process();
    } else {
        ops::SwiGluGradOp::Kernel<DTYPE_X> op;
        op.Init(y_grad, x, x_grad, &tilingData, &pipe);
        op.Process();
    }
}
