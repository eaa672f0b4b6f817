// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_MUL_CAST_H
#define TWIN_DEVICE_VEC_MUL_CAST_H

#include "device/vec/fused.h"

namespace AscendC {

// dst = src0 * src1, converted: the product is rounded to half, then rounded to nearest even and
// saturated to 8 bits.
#define TWIN_PAIRS std::is_same<U, half>::value&& ::twin::kOneOf<T, int8_t, uint8_t>
TWIN_VEC_MIXED(MulCast, uint64_t mask[], (TWIN_PAIRS))
TWIN_VEC_MIXED(MulCast, uint64_t mask, (TWIN_PAIRS))
TWIN_VEC_MIXED_COUNT(MulCast, uint32_t, (TWIN_PAIRS))
#undef TWIN_PAIRS

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_MUL_CAST_H
