// SPDX-License-Identifier: Apache-2.0
#include "grouped_matmul_finalize_routing/digit_split.h"
#include "grouped_matmul_finalize_routing/finalize.h"
#include "grouped_matmul_finalize_routing/output_init.h"
#include "grouped_matmul_finalize_routing/product.h"

// The vector cores split x into 4-bit digits, write the initial values of y, and then finish the
// tiles that the cube core of their block computes. The cube cores load weights from the start and
// never wait for y.
extern "C" __global__ __aicore__ void grouped_matmul_finalize_routing(
    GM_ADDR x, GM_ADDR w, GM_ADDR scale, GM_ADDR bias, GM_ADDR pertokenScale, GM_ADDR groupList,
    GM_ADDR sharedInput, GM_ADDR logit, GM_ADDR rowIndex, GM_ADDR y, GM_ADDR workspace,
    GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    REGISTER_TILING_DEFAULT(GroupedMatmulFinalizeRoutingTilingData);
    GET_TILING_DATA(tilingData, tiling);
    using namespace ops::GroupedMatmulFinalizeRoutingOp;
    AscendC::TPipe pipe;
    GM_ADDR const slots = AscendC::GetUserWorkspace(workspace);
    GM_ADDR const digits = slots + uint64_t{kSlots} * kSlotBytes * AscendC::GetBlockNum();
    if ASCEND_IS_AIC {
        Product product;
        product.Init(digits, w, groupList, slots, &tilingData, &pipe);
        product.Process();
    }
    if ASCEND_IS_AIV {
        DigitSplit split;
        split.Init(x, digits, groupList, &tilingData, &pipe);
        split.Process();  // ends with a flag that is set when all digits are in GM
        pipe.Reset();
        OutputInit init;
        init.Init(sharedInput, y, &tilingData, &pipe);
        init.Process();
        // Copies to y may still run here. Reset waits until the queues' buffers are free. The flags
        // that Finalize::Init sets on MTE3 make Finalize wait for these copies.
        pipe.Reset();
        Finalize finalize;
        finalize.Init({scale, bias, pertokenScale, logit, rowIndex}, groupList, slots, y,
                      &tilingData, &pipe);
        finalize.Process();
    }
}
