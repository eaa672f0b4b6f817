// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_POINTERS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_POINTERS_H

#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// The arguments of the kernel in GM.
struct Pointers {
    GM_ADDR tokens;
    GM_ADDR map;
    GM_ADDR probs;
    GM_ADDR permuteTokens;
    GM_ADDR permuteProbs;
    GM_ADDR indices;
    GM_ADDR workspace;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_POINTERS_H
