// SPDX-License-Identifier: Apache-2.0
#include "common/meeting.h"
#include "nsa_compress_grad/cube_gradients.h"
#include "nsa_compress_grad/input_grad.h"
#include "nsa_compress_grad/weight_sum.h"

// Vector cores compute inputGrad. They also compute the partial sums of weightGrad, or else cube
// cores compute most of them. When all cores are done, vector cores add the partial sums.
extern "C" __global__ __aicore__ void nsa_compress_grad(GM_ADDR outputGrad, GM_ADDR input,
                                                        GM_ADDR weight, GM_ADDR actSeqLenOptional,
                                                        GM_ADDR inputGrad, GM_ADDR weightGrad,
                                                        GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    KERNEL_TASK_TYPE(NSA_COMPRESS_GRAD_KEY_CUBE, KERNEL_TYPE_MIX_AIC_1_2);
    REGISTER_TILING_DEFAULT(NsaCompressGradTilingData);
    using namespace ops::NsaCompressGradOp;
    // The core loads code 2 KiB at a time. It requests the code of both phases early, because it
    // would otherwise wait for each piece.
    constexpr int64_t kCodeUnits = 7;
    AscendC::ICachePreLoad(kCodeUnits);
    GET_TILING_DATA_WITH_STRUCT(NsaCompressGradBaseTilingData, data, tiling);
    AscendC::TPipe pipe;
    GM_ADDR const partials = AscendC::GetUserWorkspace(workspace);
    GM_ADDR const slots = partials + data.cubeSlotsAt;
    GM_ADDR const cubeWeights = partials + data.cubeWeightsAt;
    if ASCEND_IS_AIC {
        if (TILING_KEY_IS(NSA_COMPRESS_GRAD_KEY_CUBE)) {
            CubeGradients<DTYPE_INPUT> gradients;
            gradients.Init(outputGrad, input, actSeqLenOptional, inputGrad, cubeWeights, slots,
                           &data, &pipe);
            gradients.Process();
            AscendC::CrossCoreSetFlag<2, PIPE_FIX>(kFlagProducts);
        }
    }
    if ASCEND_IS_AIV {
        if (TILING_KEY_IS(NSA_COMPRESS_GRAD_KEY_CUBE) && data.cube.inputGrad != 0) {
            CubeWeights<DTYPE_INPUT> weights;
            weights.Init(weight, cubeWeights, &data, &pipe);
            weights.Process();
            pipe.Reset();
        }
        InputGrad<DTYPE_INPUT> op;
        op.Init(outputGrad, input, weight, actSeqLenOptional, inputGrad, partials, &data, &pipe);
        if (TILING_KEY_IS(NSA_COMPRESS_GRAD_KEY_VECTOR)) {
            op.Process(NsaCompressGradStart{0, 0, 0});
        } else if (TILING_KEY_IS(NSA_COMPRESS_GRAD_KEY_SEQUENCES)) {
            GET_TILING_DATA_MEMBER(NsaCompressGradTilingData, starts, starts, tiling);
            op.Process(starts[AscendC::GetBlockIdx()]);
        } else if (TILING_KEY_IS(NSA_COMPRESS_GRAD_KEY_CUBE)) {
            if (data.cube.inputGrad != 0) {
                // CubeWeights may still use the same UB. Reset orders only the pipes of each queue.
                AscendC::PipeBarrier<PIPE_ALL>();
            }
            op.Process(NsaCompressGradStart{0, 0, 0});
            AscendC::CrossCoreWaitFlag(kFlagProducts);
        }
        // MTE3 has written this core's partial sums when the core arrives. Before, it has waited
        // for V, and V for MTE2. So nothing uses UB any more when all cores have arrived.
        ops::Meeting::Arrive();
        AscendC::ICachePreLoad(kCodeUnits);
        pipe.Reset();
        WeightSum<DTYPE_INPUT> sum;
        sum.Init(partials, slots, weightGrad, &data, &pipe);
        ops::Meeting::Wait();
        sum.Process();
    }
}
