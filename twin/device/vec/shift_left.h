// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_SHIFT_LEFT_H
#define TWIN_DEVICE_VEC_SHIFT_LEFT_H

#include "device/types/narrow.h"
#include "device/vec/shift.h"

namespace AscendC {

// dst = src << scalar. Signed numbers keep their sign bit; the bits below it move out.
#define TWIN_SHIFT(PARAMETERS, SCALAR)                                                       \
    TWIN_SHIFT_LEFT_MASKED(PARAMETERS, SCALAR, uint64_t mask[])                              \
    TWIN_SHIFT_LEFT_MASKED(PARAMETERS, SCALAR, uint64_t mask)                                \
    template <PARAMETERS()>                                                                  \
    inline void ShiftLeft(const LocalTensor<T>& dst, const LocalTensor<T>& src,              \
                          const SCALAR& scalarValue, const int32_t& calCount, TWIN_HERE) {   \
        ::twin::vec::Shift("ShiftLeft", ::twin::lanes::ShiftOp::Left, dst, src, scalarValue, \
                           ::twin::vec::Extent::Elements(calCount, isSetMask),               \
                           UnaryRepeatParams(), here);                                       \
    }
#define TWIN_SHIFT_LEFT_MASKED(PARAMETERS, SCALAR, MASK_PARAMETER)                                 \
    template <PARAMETERS()>                                                                        \
    inline void ShiftLeft(const LocalTensor<T>& dst, const LocalTensor<T>& src,                    \
                          const SCALAR& scalarValue, MASK_PARAMETER,                               \
                          const ::twin::Narrow8 repeatTime, const UnaryRepeatParams& repeatParams, \
                          TWIN_HERE) {                                                             \
        ::twin::vec::Shift("ShiftLeft", ::twin::lanes::ShiftOp::Left, dst, src, scalarValue,       \
                           ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams,   \
                           here);                                                                  \
    }

TWIN_SHIFT(TWIN_SCALAR_OF_TENSOR, T)
TWIN_SHIFT(TWIN_SCALAR_NAMED, U)

#undef TWIN_SHIFT_LEFT_MASKED
#undef TWIN_SHIFT

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_SHIFT_LEFT_H
