// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_CAST_H
#define TWIN_DEVICE_VEC_CAST_H

#include "device/vec/engine.h"

namespace twin {

/// Pairs that this twin converts; the rounding modes of each are checked when the instruction is
/// issued.
template <typename T, typename U>
constexpr bool kCanCast =
    (std::is_same<T, float>::value && kOneOf<U, half, bfloat16_t, int16_t, int32_t, float>) ||
    (std::is_same<U, float>::value && kOneOf<T, half, bfloat16_t, int16_t, int32_t>) ||
    (std::is_same<U, half>::value && kOneOf<T, int16_t, int32_t>) ||
    (std::is_same<U, bfloat16_t>::value && std::is_same<T, int32_t>::value);

}  // namespace twin

namespace AscendC {

/// Converts element by element. Rounds as `round_mode` says, to integers with saturation and NaN to
/// 0. The mask counts elements of the wider type.
template <typename T1, typename T2, bool isSetMask = true>
inline void Cast(const LocalTensor<T1>& dst, const LocalTensor<T2>& src,
                 const RoundMode& round_mode, const uint64_t mask[], const uint8_t repeatTime,
                 const UnaryRepeatParams& repeatParams, TWIN_HERE) {
    static_assert(twin::kCanCast<T1, T2>,
                  "Cast: this pair of types is not available on A2/A3 or not modelled yet");
    twin::vec::RunCast(twin::kDtypeOf<T1>, twin::kDtypeOf<T2>, round_mode, twin::Of(dst),
                       twin::Of(src), twin::vec::Extent::Mask(mask, repeatTime, isSetMask),
                       repeatParams, here);
}

template <typename T1, typename T2, bool isSetMask = true>
inline void Cast(const LocalTensor<T1>& dst, const LocalTensor<T2>& src,
                 const RoundMode& round_mode, const uint64_t mask, const uint8_t repeatTime,
                 const UnaryRepeatParams& repeatParams, TWIN_HERE) {
    static_assert(twin::kCanCast<T1, T2>,
                  "Cast: this pair of types is not available on A2/A3 or not modelled yet");
    twin::vec::RunCast(twin::kDtypeOf<T1>, twin::kDtypeOf<T2>, round_mode, twin::Of(dst),
                       twin::Of(src), twin::vec::Extent::Mask(mask, repeatTime, isSetMask),
                       repeatParams, here);
}

template <typename T1, typename T2>
inline void Cast(const LocalTensor<T1>& dst, const LocalTensor<T2>& src,
                 const RoundMode& round_mode, const uint32_t calCount, TWIN_HERE) {
    static_assert(twin::kCanCast<T1, T2>,
                  "Cast: this pair of types is not available on A2/A3 or not modelled yet");
    twin::vec::RunCast(twin::kDtypeOf<T1>, twin::kDtypeOf<T2>, round_mode, twin::Of(dst),
                       twin::Of(src), twin::vec::Extent::Elements(calCount), UnaryRepeatParams(),
                       here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_CAST_H
