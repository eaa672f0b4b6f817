// SPDX-License-Identifier: Apache-2.0
#include "nsa_compress_grad/input_grad.h"
#include "nsa_compress_grad/weight_sum.h"

extern "C" __global__ __aicore__ void nsa_compress_grad(GM_ADDR outputGrad, GM_ADDR input,
                                                        GM_ADDR weight, GM_ADDR actSeqLenOptional,
                                                        GM_ADDR inputGrad, GM_ADDR weightGrad,
                                                        GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    REGISTER_TILING_DEFAULT(NsaCompressGradTilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    GM_ADDR const partials = AscendC::GetUserWorkspace(workspace);
    {
        ops::NsaCompressGradOp::InputGrad<DTYPE_INPUT> op;
        op.Init(outputGrad, input, weight, actSeqLenOptional, inputGrad, partials, &tilingData,
                &pipe);
        op.Process();
    }
    AscendC::SyncAll();
    pipe.Reset();
    ops::NsaCompressGradOp::WeightSum<DTYPE_INPUT> sum;
    sum.Init(partials, weightGrad, &tilingData, &pipe);
    sum.Process();
}
