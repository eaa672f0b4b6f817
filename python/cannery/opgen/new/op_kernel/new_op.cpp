// SPDX-License-Identifier: Apache-2.0
#include "new_op/kernel.h"

extern "C" __global__ __aicore__ void new_op(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                             GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(NewOpTilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    ops::NewOpOp::Kernel<DTYPE_X> op;
    op.Init(x, y, &tilingData, &pipe);
    op.Process();
}
