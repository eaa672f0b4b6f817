// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/core.h"
#include "device/types/dtype.h"
#include "device/types/enums.h"

namespace twin::vec {

/// Writes one bit of the core's control register.
inline void SetCtrlBit(uint32_t bit, bool value, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint64_t mask = uint64_t{1} << bit;
    core.ctrl = value ? core.ctrl | mask : core.ctrl & ~mask;
    core.modesSetAt.ctrl = where;
}

template <int8_t startBit, int8_t endBit>
constexpr void OnlyModelledBits() {
    static_assert(startBit == endBit && (startBit == static_cast<int8_t>(kCtrlInfNan) ||
                                         startBit == static_cast<int8_t>(kCtrlTruncate)),
                  "SetCtrlSpr and GetCtrlSpr: only CTRL[48] and CTRL[59] are modelled");
}

/// Returns `value` as the bits of a half; an inexact result gets an odd last bit (CAST_ODD).
TWIN_API uint16_t ScalarToHalfOdd(float value);
/// Converts `value` to int32_t with the rounding `mode`; saturates, and NaN gives 0.
TWIN_API int32_t ScalarToInt32(float value, AscendC::RoundMode mode);

}  // namespace twin::vec

namespace AscendC {

/// Selects counter mode, in which the mask register contains an element count.
inline void SetMaskCount(TWIN_HERE) {
    twin::Self().Begin(here);
    twin::Self().SetCounterMode(true);
}

/// Selects normal mode, in which the mask register contains one bit per element of a repeat.
inline void SetMaskNorm(TWIN_HERE) {
    twin::Self().Begin(here);
    twin::Self().SetCounterMode(false);
}

/// Sets the mask register. The first argument is for elements 64 to 127, the second for 0 to 63.
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow, TWIN_HERE) {
    twin::Self().Begin(here);
    twin::Self().SetMask(maskLow, maskHigh);
}

/// Selects the first `len` elements of a repeat (normal mode), or of the whole instruction (counter
/// mode).
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t len, TWIN_HERE) {
    const auto count = static_cast<uint64_t>(len < 0 ? 0 : len);
    if (mode == MaskMode::COUNTER) {
        SetVectorMask<T, mode>(0, count, here);
        return;
    }
    const uint64_t low = count >= 64 ? UINT64_MAX : (uint64_t{1} << count) - 1;
    const uint64_t high =
        count >= 128 ? UINT64_MAX : (count > 64 ? (uint64_t{1} << (count - 64)) - 1 : 0);
    SetVectorMask<T, mode>(high, low, here);
}

inline void ResetMask(TWIN_HERE) {
    twin::Self().Begin(here);
    twin::Self().SetMask(UINT64_MAX, UINT64_MAX);
}

enum class SaturationMode : uint8_t { FLOAT = 0, CAST };

/// Turns saturation on or off. FLOAT: infinities of half and bfloat16 results become the largest
/// number, NaN becomes 0. CAST: conversions to integers saturate; if off, only the low bits stay.
template <SaturationMode mode>
inline void SetSaturationFlag(bool enableSat, TWIN_HERE) {
    twin::vec::SetCtrlBit(mode == SaturationMode::FLOAT ? twin::kCtrlInfNan : twin::kCtrlTruncate,
                          !enableSat, here);
}

template <SaturationMode mode>
inline bool GetSaturationFlag() {
    return !twin::Self().CtrlBit(mode == SaturationMode::FLOAT ? twin::kCtrlInfNan
                                                               : twin::kCtrlTruncate);
}

/// Sets bits [startBit, endBit] of the control register; only bits 48 and 59 are modelled.
template <int8_t startBit, int8_t endBit>
inline void SetCtrlSpr(int64_t value, TWIN_HERE) {
    twin::vec::OnlyModelledBits<startBit, endBit>();
    twin::vec::SetCtrlBit(startBit, (value & 1) != 0, here);
}

template <int8_t startBit, int8_t endBit>
inline int64_t GetCtrlSpr() {
    twin::vec::OnlyModelledBits<startBit, endBit>();
    return twin::Self().CtrlBit(startBit) ? 1 : 0;
}

// Functions of the scalar unit that count bits, under their 8.1 names and their newer names.

/// Returns the number of bits that are `countValue` (0 or 1).
template <int countValue>
inline int64_t ScalarGetCountOfValue(uint64_t valueIn) {
    static_assert(countValue == 0 || countValue == 1, "countValue is 0 or 1");
    return __builtin_popcountll(countValue == 1 ? valueIn : ~valueIn);
}
template <int countValue>
inline int64_t GetBitCount(uint64_t valueIn) {
    return ScalarGetCountOfValue<countValue>(valueIn);
}

/// Returns the number of zero bits above the highest bit that is 1; returns 64 for 0.
inline int64_t ScalarCountLeadingZero(uint64_t valueIn) {
    return valueIn == 0 ? 64 : __builtin_clzll(valueIn);
}
inline int64_t CountLeadingZero(uint64_t valueIn) { return ScalarCountLeadingZero(valueIn); }

/// Returns how many bits directly below the sign bit are equal to it; returns -1 for 0 and -1.
inline int64_t CountBitsCntSameAsSignBit(int64_t valueIn) {
    return valueIn == 0 || valueIn == -1 ? -1 : __builtin_clrsbll(valueIn);
}

/// Returns the index of the lowest bit that is `countValue` (0 or 1); -1 if there is none.
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

/// Returns a width that other chips have for their vector registers; A2 and A3 have none.
inline constexpr uint32_t GetVecLen() { return 0; }

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

// Functions of the device compiler with which the toolkit's library computes the above.

inline int64_t clz(uint64_t value) { return AscendC::ScalarCountLeadingZero(value); }
inline int64_t bcnt0(uint64_t value) { return AscendC::ScalarGetCountOfValue<0>(value); }
inline int64_t bcnt1(uint64_t value) { return AscendC::ScalarGetCountOfValue<1>(value); }
inline int64_t sff0(uint64_t value) { return AscendC::ScalarGetSFFValue<0>(value); }
inline int64_t sff1(uint64_t value) { return AscendC::ScalarGetSFFValue<1>(value); }
inline int64_t sflbits(int64_t value) { return AscendC::CountBitsCntSameAsSignBit(value); }
/// Sets bit `index`, 0 to 63, to 0 or to 1.
inline uint64_t sbitset0(uint64_t bits, int64_t index) {
    return bits & ~(uint64_t{1} << (index & 63));
}
inline uint64_t sbitset1(uint64_t bits, int64_t index) {
    return bits | uint64_t{1} << (index & 63);
}
