// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_ADD_RELU_CAST_H
#define TWIN_DEVICE_VEC_ADD_RELU_CAST_H

#include "device/vec/fused.h"

namespace AscendC {

// dst = max(src0 + src1, 0), converted: the sum is rounded (or wraps) in the sources' type, then
// rounded to nearest even and saturated to the destination's type.
#define TWIN_PAIRS                                                     \
    (std::is_same<T, half>::value && std::is_same<U, float>::value) || \
        (std::is_same<T, int8_t>::value && ::twin::kOneOf<U, half, int16_t>)
TWIN_VEC_MIXED(AddReluCast, uint64_t mask[], (TWIN_PAIRS))
TWIN_VEC_MIXED(AddReluCast, uint64_t mask, (TWIN_PAIRS))
TWIN_VEC_MIXED_COUNT(AddReluCast, const uint32_t, (TWIN_PAIRS))
#undef TWIN_PAIRS

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_ADD_RELU_CAST_H
