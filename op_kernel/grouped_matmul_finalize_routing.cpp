// SPDX-License-Identifier: Apache-2.0
#include "grouped_matmul_finalize_routing/digit_split.h"
#include "grouped_matmul_finalize_routing/finalize.h"
#include "grouped_matmul_finalize_routing/output_init.h"
#include "grouped_matmul_finalize_routing/product.h"
#include "grouped_matmul_finalize_routing/unpack.h"
#include "grouped_matmul_finalize_routing/unpacked_product.h"

// The vector cores split x into 4-bit digits, or unpack weights to 8 bits if experts have many
// rows. Then they write the initial values of y, and finish the tiles that the cube core of their
// block computes. The cube cores never wait for y.
extern "C" __global__ __aicore__ void grouped_matmul_finalize_routing(
    GM_ADDR x, GM_ADDR w, GM_ADDR scale, GM_ADDR bias, GM_ADDR pertokenScale, GM_ADDR groupList,
    GM_ADDR sharedInput, GM_ADDR logit, GM_ADDR rowIndex, GM_ADDR y, GM_ADDR workspace,
    GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    // Few rows take little more time than the start of the launch. So the cores request the code of
    // all phases before they wait for anything.
    AscendC::ICachePreLoad(7);
    REGISTER_TILING_DEFAULT(GroupedMatmulFinalizeRoutingTilingData);
    GET_TILING_DATA(tilingData, tiling);
    using namespace ops::GroupedMatmulFinalizeRoutingOp;
    AscendC::TPipe pipe;
    GM_ADDR const slots = AscendC::GetUserWorkspace(workspace);
    GM_ADDR const notices =
        slots + uint64_t{tilingData.blockSlots} * kSlotBytes * AscendC::GetBlockNum();
    GM_ADDR const operand = notices + uint64_t{2} * kNoticeBytes * AscendC::GetBlockNum();
    Units units;
    units.Init(groupList, &tilingData);
    const bool unpack = tilingData.unpackK != 0;
    if ASCEND_IS_AIC {
        units.Seek();
        if (unpack) {
            UnpackedProduct product;
            product.Init(x, operand, units, slots, &tilingData, &pipe);
            product.Process();
        } else {
            Product product;
            product.Init(operand, w, units, slots, &tilingData, &pipe);
            product.Process();
        }
    }
    if ASCEND_IS_AIV {
        Unpack weights;
        if (unpack) {
            units.Seek();
            weights.Init(w, operand, units, &tilingData);
            weights.InitBuffers(&pipe);
            weights.Next();
            weights.LeaveBuffers();
        } else {
            DigitSplit split;
            split.Init(x, operand, units.EndOfRows(), &tilingData, &pipe);
            split.Process();
            units.Seek();
            split.Finish();  // sets a flag when all digits are in GM
        }
        pipe.Reset();
        OutputInit init;
        init.Init(sharedInput, y, notices, &tilingData, &pipe);
        init.Process();
        // Copies to y may still run here. Reset waits until the queues' buffers are free. The flags
        // that Finalize::Init sets on MTE3 make Finalize wait for these copies.
        pipe.Reset();
        Finalize finalize;
        finalize.Init({scale, bias, pertokenScale, logit, rowIndex}, w, units, {slots, notices}, y,
                      unpack ? &weights : nullptr, &tilingData, &pipe);
        finalize.Process();
    }
}
