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

/// Returns the smallest multiple of `kUnit` that is not below `value`. The divisor is a constant,
/// so that the scalar unit does not divide.
template <uint32_t kUnit>
__aicore__ inline uint32_t RoundUpTo(uint32_t value) {
    return (value + (kUnit - 1)) / kUnit * kUnit;
}

/// Returns parameters for a GatherMask that processes all elements in a single repeat.
__aicore__ inline AscendC::GatherMaskParams OneRepeat() {
    return AscendC::GatherMaskParams(1, 1, 8, 8);
}

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_BITS_H
