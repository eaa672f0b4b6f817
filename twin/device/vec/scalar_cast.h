// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_SCALAR_CAST_H
#define TWIN_DEVICE_VEC_SCALAR_CAST_H

#include "device/types/dtype.h"
#include "device/types/enums.h"

namespace twin::vec {

/// Returns the bits of a half: inexact results get an odd last digit.
TWIN_API uint16_t ScalarToHalfOdd(float value);
/// Saturates; NaN gives 0.
TWIN_API int32_t ScalarToInt32(float value, AscendC::RoundMode mode);

}  // namespace twin::vec

namespace AscendC {

/// Converts float to half (CAST_ODD) or to int32_t (CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND)
/// on the scalar unit.
template <typename srcT, typename dstT, RoundMode roundMode>
inline dstT ScalarCast(srcT valueIn) {
    static_assert(std::is_same<srcT, float>::value && twin::kOneOf<dstT, half, int32_t>,
                  "ScalarCast: takes float to half or int32_t");
    if constexpr (std::is_same<dstT, half>::value) {
        static_assert(roundMode == RoundMode::CAST_ODD, "ScalarCast to half: only CAST_ODD");
        return half::FromBits(twin::vec::ScalarToHalfOdd(valueIn));
    } else {
        static_assert(roundMode == RoundMode::CAST_RINT || roundMode == RoundMode::CAST_FLOOR ||
                          roundMode == RoundMode::CAST_CEIL || roundMode == RoundMode::CAST_ROUND,
                      "ScalarCast to int32_t: CAST_RINT, CAST_FLOOR, CAST_CEIL or CAST_ROUND");
        return twin::vec::ScalarToInt32(valueIn, roundMode);
    }
}

/// The newer name of ScalarCast.
template <typename T, typename U, RoundMode roundMode>
inline U Cast(T valueIn) {
    return ScalarCast<T, U, roundMode>(valueIn);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_SCALAR_CAST_H
