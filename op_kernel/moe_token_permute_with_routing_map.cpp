// SPDX-License-Identifier: Apache-2.0
#include "moe_token_permute_with_routing_map/bits.h"
#include "moe_token_permute_with_routing_map/kernel.h"

extern "C" __global__ __aicore__ void moe_token_permute_with_routing_map(
    GM_ADDR tokens, GM_ADDR routing_map, GM_ADDR probs, GM_ADDR permute_tokens,
    GM_ADDR permute_probs, GM_ADDR sorted_indices, GM_ADDR workspace, GM_ADDR tiling) {
    // The core would otherwise wait for each 2 KiB of code.
    AscendC::ICachePreLoad(ops::MoeTokenPermuteWithRoutingMapOp::kPreloadUnits);
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    REGISTER_TILING_DEFAULT(MoeTokenPermuteWithRoutingMapTilingData);
    GET_TILING_DATA(tilingData, tiling);
    using namespace ops::MoeTokenPermuteWithRoutingMapOp;
    AscendC::TPipe pipe;
    Kernel<BitsOf<sizeof(DTYPE_TOKENS)>::Type> op(
        {tokens, routing_map, probs, permute_tokens, permute_probs, sorted_indices,
         AscendC::GetUserWorkspace(workspace)},
        &tilingData, &pipe);
    if (TILING_KEY_IS(MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_COMPACT)) {
        op.ProcessCompact();
    } else if (TILING_KEY_IS(MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_PAD)) {
        op.ProcessPad();
    }
}
