// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_BITS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_BITS_H

#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// The unsigned integer type with `kBytes` bytes. The kernel uses it for tokens and probs, because
/// it only moves them.
template <size_t kBytes>
struct BitsOf {
    using Type = uint16_t;
};
template <>
struct BitsOf<4> {
    using Type = uint32_t;
};

/// Returns parameters for a GatherMask that processes all elements in a single repeat.
__aicore__ inline AscendC::GatherMaskParams OneRepeat() {
    return AscendC::GatherMaskParams(1, 1, 8, 8);
}

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_BITS_H
