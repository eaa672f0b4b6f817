// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_BITS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_BITS_H

#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// The unsigned integer with the width of a dtype: the kernel moves tokens and probs and never
/// computes with them.
template <size_t kBytes>
struct BitsOf {
    using Type = uint16_t;
};
template <>
struct BitsOf<4> {
    using Type = uint32_t;
};

/// Parameters for all of `elems` as one repeat of GatherMask.
__aicore__ inline AscendC::GatherMaskParams OneRepeat() {
    return AscendC::GatherMaskParams(1, 1, 8, 8);
}

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_BITS_H
