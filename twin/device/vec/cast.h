// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/types/parameters.h"
#include "device/vec/extent.h"

namespace twin {

/// True if the vector unit converts U to T. The call checks the rounding mode when it issues the
/// instruction.
template <typename T, typename U>
constexpr bool kCanCast =
    (std::is_same<U, float>::value &&
     kOneOf<T, half, bfloat16_t, int16_t, int32_t, int64_t, float>) ||
    (std::is_same<U, half>::value &&
     kOneOf<T, float, int16_t, int32_t, int8_t, uint8_t, AscendC::int4b_t>) ||
    (std::is_same<T, half>::value &&
     kOneOf<U, int16_t, int32_t, int8_t, uint8_t, AscendC::int4b_t>) ||
    (std::is_same<T, float>::value && kOneOf<U, bfloat16_t, int16_t, int32_t, int64_t>) ||
    (std::is_same<U, int32_t>::value && kOneOf<T, int16_t, int64_t>) ||
    (std::is_same<T, int32_t>::value && kOneOf<U, bfloat16_t, int64_t>);

/// Does not compile unless the vector unit converts T2 to T1. The message names the type between
/// them, if two conversions do it.
template <typename T1, typename T2>
constexpr void CheckCast() {
    constexpr bool kDirect = kCanCast<T1, T2>;
    constexpr bool kByHalf = kCanCast<T1, half> && kCanCast<half, T2>;
    constexpr bool kByFloat = kCanCast<T1, float> && kCanCast<float, T2>;
    static_assert(kDirect || kByHalf || kByFloat, "Cast: T1 from T2 is not available on A2/A3");
    static_assert(kDirect || !kByHalf,
                  "Cast: T1 from T2 is not available on A2/A3; try: Cast to half first");
    static_assert(kDirect || kByHalf || !kByFloat,
                  "Cast: T1 from T2 is not available on A2/A3; try: Cast to float first");
}

namespace vec {

TWIN_API void RunCast(Dtype to, Dtype from, AscendC::RoundMode mode, const Operand& dst,
                      const Operand& src, const Extent& extent,
                      const AscendC::UnaryRepeatParams& strides, Location where);
/// Converts int32_t to half: multiplies by the scale that SetDeqScale(half) has set.
TWIN_API void RunDequant(Opcode api, const Operand& dst, const Operand& src, const Extent& extent,
                         const AscendC::UnaryRepeatParams& strides, Location where);
/// Returns the scale; fails unless the last SetDeqScale was SetDeqScale(half) (T410).
float RequireHalfScale(const Core& core, const char* api);

}  // namespace vec
}  // namespace twin

namespace AscendC {

/// Converts element by element and rounds as `round_mode` says. Integer results saturate, and NaN
/// gives 0. The mask counts elements of the wider type. int32_t to half also multiplies by the
/// scale of SetDeqScale.
template <typename T1, typename T2, bool isSetMask = true>
inline void Cast(const LocalTensor<T1>& dst, const LocalTensor<T2>& src,
                 const RoundMode& round_mode, const ::twin::vec::ConstMask mask,
                 const ::twin::Narrow8 repeatTime, const UnaryRepeatParams& repeatParams,
                 TWIN_HERE) {
    twin::CheckCast<T1, T2>();
    twin::vec::RunCast(twin::kDtypeOf<T1>, twin::kDtypeOf<T2>, round_mode, dst, src,
                       twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams, here);
}

template <typename T1, typename T2>
inline void Cast(const LocalTensor<T1>& dst, const LocalTensor<T2>& src,
                 const RoundMode& round_mode, const uint32_t calCount, TWIN_HERE) {
    twin::CheckCast<T1, T2>();
    twin::vec::RunCast(twin::kDtypeOf<T1>, twin::kDtypeOf<T2>, round_mode, dst, src,
                       twin::vec::Extent::Elements(calCount), UnaryRepeatParams(), here);
}

}  // namespace AscendC
