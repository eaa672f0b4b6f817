// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_SHIFT_RIGHT_H
#define TWIN_DEVICE_VEC_SHIFT_RIGHT_H

#include "device/types/narrow.h"
#include "device/vec/shift.h"

namespace AscendC {

// dst = src >> scalar, arithmetic for signed numbers. With roundEn, which only signed types have,
// the last bit that was shifted out is added. The overload with a type for the scalar has no
// default for roundEn, as in the toolkit.
#define TWIN_SHIFT(PARAMETERS, SCALAR, ROUND_PARAMETER)                                        \
    TWIN_SHIFT_RIGHT_MASKED(PARAMETERS, SCALAR, uint64_t mask[], ROUND_PARAMETER)              \
    TWIN_SHIFT_RIGHT_MASKED(PARAMETERS, SCALAR, uint64_t mask, ROUND_PARAMETER)                \
    template <PARAMETERS()>                                                                    \
    inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src,               \
                           const SCALAR& scalarValue, const int32_t& calCount, TWIN_HERE) {    \
        ::twin::vec::Shift("ShiftRight", ::twin::lanes::ShiftOp::Right, dst, src, scalarValue, \
                           ::twin::vec::Extent::Elements(calCount, isSetMask),                 \
                           UnaryRepeatParams(), here);                                         \
    }
#define TWIN_SHIFT_RIGHT_MASKED(PARAMETERS, SCALAR, MASK_PARAMETER, ROUND_PARAMETER)             \
    template <PARAMETERS()>                                                                      \
    inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src,                 \
                           const SCALAR& scalarValue, MASK_PARAMETER,                            \
                           const ::twin::Narrow8 repeatTime,                                     \
                           const UnaryRepeatParams& repeatParams, ROUND_PARAMETER, TWIN_HERE) {  \
        ::twin::vec::Shift(                                                                      \
            "ShiftRight",                                                                        \
            roundEn ? ::twin::lanes::ShiftOp::RightRounded : ::twin::lanes::ShiftOp::Right, dst, \
            src, scalarValue, ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask),            \
            repeatParams, here);                                                                 \
    }

TWIN_SHIFT(TWIN_SCALAR_OF_TENSOR, T, bool roundEn = false)
TWIN_SHIFT(TWIN_SCALAR_NAMED, U, bool roundEn)

#undef TWIN_SHIFT_RIGHT_MASKED
#undef TWIN_SHIFT

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_SHIFT_RIGHT_H
