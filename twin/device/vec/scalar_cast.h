// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/types/dtype.h"
#include "device/types/enums.h"

namespace AscendC {

// Bit counting on the scalar unit, each function under its 8.1 name and its newer one.

/// Number of bits that are `countValue` (0 or 1).
template <int countValue>
inline int64_t ScalarGetCountOfValue(uint64_t valueIn) {
    static_assert(countValue == 0 || countValue == 1, "countValue is 0 or 1");
    return __builtin_popcountll(countValue == 1 ? valueIn : ~valueIn);
}
template <int countValue>
inline int64_t GetBitCount(uint64_t valueIn) {
    return ScalarGetCountOfValue<countValue>(valueIn);
}

/// Number of zero bits above the highest one; 64 for 0.
inline int64_t ScalarCountLeadingZero(uint64_t valueIn) {
    return valueIn == 0 ? 64 : __builtin_clzll(valueIn);
}
inline int64_t CountLeadingZero(uint64_t valueIn) { return ScalarCountLeadingZero(valueIn); }

/// Number of bits below the sign bit that equal it, from the top; -1 for 0 and -1.
inline int64_t CountBitsCntSameAsSignBit(int64_t valueIn) {
    return valueIn == 0 || valueIn == -1 ? -1 : __builtin_clrsbll(valueIn);
}

/// Place of the lowest bit that is `countValue` (0 or 1); -1 if there is none.
template <int countValue>
inline int64_t ScalarGetSFFValue(uint64_t valueIn) {
    static_assert(countValue == 0 || countValue == 1, "countValue is 0 or 1");
    const uint64_t wanted = countValue == 1 ? valueIn : ~valueIn;
    return wanted == 0 ? -1 : __builtin_ctzll(wanted);
}
template <int countValue>
inline int64_t GetSFFValue(uint64_t valueIn) {
    return ScalarGetSFFValue<countValue>(valueIn);
}

}  // namespace AscendC

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
