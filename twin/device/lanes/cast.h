// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_CAST_H
#define TWIN_DEVICE_LANES_CAST_H

// Part of arithmetic_lanes.cpp: conversions between element types. Which rounding modes a pair
// accepts is checked by the caller.

namespace {

void CastHalfToFloat(void* dst, const void* src, size_t count, Round) {
    WidenHalf(static_cast<float*>(dst), static_cast<const F16*>(src), count);
}

void CastBf16ToFloat(void* dst, const void* src, size_t count, Round) {
    const auto* s = static_cast<const uint16_t*>(src);
    auto* d = static_cast<uint32_t*>(dst);
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        d[i] = static_cast<uint32_t>(s[i]) << 16;
    }
}

void CastFloatToHalf(void* dst, const void* src, size_t count, Round round) {
    auto* d = static_cast<F16*>(dst);
    const auto* s = static_cast<const float*>(src);
    if (round == Round::None || round == Round::Rint) {
        NarrowHalf(d, s, count);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        d[i] = NarrowHalfDirected(s[i], round);
    }
}

void CastFloatToBf16(void* dst, const void* src, size_t count, Round round) {
    auto* d = static_cast<uint16_t*>(dst);
    const auto* s = static_cast<const uint32_t*>(src);
    if (round == Round::Rint) {
#pragma GCC ivdep
        for (size_t i = 0; i < count; ++i) {
            const uint32_t bits = s[i];
            const uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
            const uint32_t quiet = (bits >> 16) | 0x40U;
            d[i] = static_cast<uint16_t>((bits & 0x7FFFFFFFU) > 0x7F800000U ? quiet : rounded);
        }
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        d[i] = FromFloat<Bf16>(CutMantissa(twin::FloatOf(s[i]), 16, round)).bits;
    }
}

void CastFloatToFloat(void* dst, const void* src, size_t count, Round round) {
    for (size_t i = 0; i < count; ++i) {
        static_cast<float*>(dst)[i] = RoundToIntegral(static_cast<const float*>(src)[i], round);
    }
}

template <typename I, typename F>
void CastToInteger(void* dst, const void* src, size_t count, Round round) {
    for (size_t i = 0; i < count; ++i) {
        static_cast<I*>(dst)[i] = ToInteger<I>(ToFloat(static_cast<const F*>(src)[i]), round);
    }
}

/// Rounds the 32-bit integer to the float in the asked direction; to nearest is what the host does
/// by itself.
void CastInt32ToFloat(void* dst, const void* src, size_t count, Round round) {
    const auto* s = static_cast<const int32_t*>(src);
    auto* d = static_cast<float*>(dst);
    for (size_t i = 0; i < count; ++i) {
        const float nearest = static_cast<float>(s[i]);
        const double error = static_cast<double>(nearest) - static_cast<double>(s[i]);
        const bool up = error > 0.0;
        const bool down = error < 0.0;
        const bool tie =
            2.0 * __builtin_fabs(error) ==
            __builtin_fabs(static_cast<double>(twin::FloatOf(twin::BitsOf(nearest) + 1U)) -
                           static_cast<double>(nearest));
        float result = nearest;
        if ((round == Round::Floor && up) || (round == Round::Trunc && (s[i] > 0 ? up : down)) ||
            (round == Round::Ceil && down) ||
            (round == Round::Nearest && tie && (s[i] > 0 ? down : up))) {
            const float direction = (round == Round::Floor || (round == Round::Trunc && s[i] > 0) ||
                                     (round == Round::Nearest && s[i] < 0))
                                        ? -__builtin_huge_valf()
                                        : __builtin_huge_valf();
            result = __builtin_nextafterf(nearest, direction);
        }
        d[i] = result;
    }
}

void CastInt16ToFloat(void* dst, const void* src, size_t count, Round) {
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        static_cast<float*>(dst)[i] = static_cast<float>(static_cast<const int16_t*>(src)[i]);
    }
}

void SetCasts(twin::lanes::ArithmeticTable& table) {
    const auto set = [&table](twin::Dtype to, twin::Dtype from, twin::lanes::CastFn cast) {
        table.cast[static_cast<size_t>(to)][static_cast<size_t>(from)] = cast;
    };
    using twin::Dtype;
    set(Dtype::F32, Dtype::F16, CastHalfToFloat);
    set(Dtype::F32, Dtype::Bf16, CastBf16ToFloat);
    set(Dtype::F32, Dtype::I16, CastInt16ToFloat);
    set(Dtype::F32, Dtype::I32, CastInt32ToFloat);
    set(Dtype::F32, Dtype::F32, CastFloatToFloat);
    set(Dtype::F16, Dtype::F32, CastFloatToHalf);
    set(Dtype::Bf16, Dtype::F32, CastFloatToBf16);
    set(Dtype::I32, Dtype::F32, CastToInteger<int32_t, float>);
    set(Dtype::I32, Dtype::F16, CastToInteger<int32_t, F16>);
    set(Dtype::I32, Dtype::Bf16, CastToInteger<int32_t, Bf16>);
    set(Dtype::I16, Dtype::F32, CastToInteger<int16_t, float>);
    set(Dtype::I16, Dtype::F16, CastToInteger<int16_t, F16>);
}

}  // namespace

#endif  // TWIN_DEVICE_LANES_CAST_H
