// SPDX-License-Identifier: Apache-2.0
// This file is compiled once per instruction set; see arithmetic_lanes.cpp.
#include <limits>
#include <type_traits>

#include "device/lanes/arithmetic.h"
#include "device/lanes/convert.h"
#include "device/lanes/reduce.h"

namespace {

using twin::Dtype;
using twin::lanes::CastTable;

constexpr size_t kChunk = 512;

/// Rounds to the nearest integer; ties go away from zero. x86 has no instruction for this mode. The
/// difference x - whole is exact.
inline float RoundHalfAway(float x) {
    const float whole = __builtin_truncf(x);
    const float step = __builtin_copysignf(1.0F, x);
    return __builtin_fabsf(x - whole) >= 0.5F ? whole + step : whole;
}

/// Converts a 64-bit integer to float, rounded in the direction of `round`.
inline float IntegerToFloat(int64_t value, Round round) {
    const bool negative = value < 0;
    const uint64_t magnitude =
        negative ? ~static_cast<uint64_t>(value) + 1U : static_cast<uint64_t>(value);
    if (magnitude < (uint64_t{1} << 24)) {
        return static_cast<float>(value);
    }
    const auto drop = static_cast<uint32_t>(40 - __builtin_clzll(magnitude));
    const uint64_t rest = magnitude & ((uint64_t{1} << drop) - 1U);
    uint64_t kept = magnitude >> drop;
    if ((round == Round::Floor && negative && rest != 0) ||
        (round == Round::Ceil && !negative && rest != 0) ||
        (round == Round::Nearest && drop != 0 && rest >> (drop - 1U) != 0)) {
        ++kept;
    }
    const float exact = static_cast<float>(kept) * twin::FloatOf((127U + drop) << 23);
    return negative ? -exact : exact;
}

/// Converts `src` to float in chunks, and calls `body(dst, floats, n)` for each chunk.
template <typename From, typename To, typename Body>
void InFloats(void* dst, const void* src, size_t count, Body body) {
    alignas(64) float values[kChunk];
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t n = count - done < kChunk ? count - done : kChunk;
        Widen(values, static_cast<const From*>(src) + done, n);
        body(static_cast<To*>(dst) + done, values, n);
    }
}

template <typename From>
void CastToFloat(void* dst, const void* src, size_t count, Round) {
    Widen(static_cast<float*>(dst), static_cast<const From*>(src), count);
}

void CastFloatToHalf(void* dst, const void* src, size_t count, Round round) {
    NarrowHalf(static_cast<F16*>(dst), static_cast<const float*>(src), count, round);
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

/// Calls `body` with the function that rounds in the given mode. `body` is compiled once per mode,
/// so that its loop does not test the mode for every element.
template <typename Body>
void WithRounding(Round round, Body body) {
    switch (round) {
        case Round::Floor:
            return body([](float x) { return __builtin_floorf(x); });
        case Round::Ceil:
            return body([](float x) { return __builtin_ceilf(x); });
        case Round::Nearest:
            return body([](float x) { return RoundHalfAway(x); });
        case Round::Trunc:
            return body([](float x) { return __builtin_truncf(x); });
        default:
            return body([](float x) { return __builtin_rintf(x); });
    }
}

void CastFloatToFloat(void* dst, const void* src, size_t count, Round round) {
    auto* d = static_cast<float*>(dst);
    const auto* s = static_cast<const float*>(src);
    WithRounding(round, [=](auto integral) {
#pragma GCC ivdep
        for (size_t i = 0; i < count; ++i) {
            const float x = s[i];
            const float quiet = twin::FloatOf(twin::BitsOf(x) | 0x400000U);
            d[i] = x != x ? quiet : integral(x);
        }
    });
}

/// Converts floats to integers of up to 32 bits. Results saturate; NaN gives 0.
template <typename I>
void FloatsToInteger(I* d, const float* s, size_t count, Round round) {
    constexpr auto kMin = std::numeric_limits<I>::min();
    constexpr auto kMax = std::numeric_limits<I>::max();
    // The largest integer of I plus 1; for 32-bit types, also the smallest float above I's range.
    constexpr float kAbove = static_cast<float>(static_cast<double>(kMax) + 1.0);
    WithRounding(round, [=](auto integral) {
#pragma GCC ivdep
        for (size_t i = 0; i < count; ++i) {
            const float x = integral(s[i]);
            const bool above = x >= kAbove;
            const float bounded = x > static_cast<float>(kMin) ? x : static_cast<float>(kMin);
            const auto whole = static_cast<int32_t>((above || x != x) ? 0.0F : bounded);
            d[i] = static_cast<I>(above ? static_cast<int32_t>(kMax) : whole);
        }
    });
}

int64_t ToInt64(float x) {
    if (x != x) {
        return 0;
    }
    if (x >= 0x1p63F) {
        return INT64_MAX;
    }
    return x < -0x1p63F ? INT64_MIN : static_cast<int64_t>(x);
}

template <>
void FloatsToInteger<int64_t>(int64_t* d, const float* s, size_t count, Round round) {
    WithRounding(round, [=](auto integral) {
        for (size_t i = 0; i < count; ++i) {
            d[i] = ToInt64(integral(s[i]));
        }
    });
}

template <typename I, typename From>
void CastToInteger(void* dst, const void* src, size_t count, Round round) {
    if constexpr (std::is_same<From, float>::value) {
        FloatsToInteger<I>(static_cast<I*>(dst), static_cast<const float*>(src), count, round);
        return;
    }
    InFloats<From, I>(dst, src, count, [round](I* d, const float* values, size_t n) {
        FloatsToInteger<I>(d, values, n, round);
    });
}

/// Converts to integers. A number that does not fit keeps its low bits.
template <typename I, typename From>
void TruncateToInteger(void* dst, const void* src, size_t count, Round round) {
    InFloats<From, I>(dst, src, count, [round](I* d, const float* values, size_t n) {
        WithRounding(round, [=](auto integral) {
            for (size_t i = 0; i < n; ++i) {
                d[i] = static_cast<I>(static_cast<uint64_t>(ToInt64(integral(values[i]))));
            }
        });
    });
}

template <typename From>
void CastIntegerToHalf(void* dst, const void* src, size_t count, Round round) {
    InFloats<From, F16>(dst, src, count, [round](F16* d, const float* values, size_t n) {
        NarrowHalf(d, values, n, round);
    });
}

template <typename From>
void CastIntegerToFloat(void* dst, const void* src, size_t count, Round round) {
    const auto* s = static_cast<const From*>(src);
    auto* d = static_cast<float*>(dst);
    if (round == Round::None || round == Round::Rint) {
#pragma GCC ivdep
        for (size_t i = 0; i < count; ++i) {
            d[i] = static_cast<float>(s[i]);
        }
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        d[i] = IntegerToFloat(s[i], round);
    }
}

template <typename To, typename From, bool saturate>
void CastInteger(void* dst, const void* src, size_t count, Round) {
    const auto* s = static_cast<const From*>(src);
    auto* d = static_cast<To*>(dst);
    constexpr From kMin = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From kMax = static_cast<From>(std::numeric_limits<To>::max());
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        From x = s[i];
        if (saturate && sizeof(To) < sizeof(From)) {
            x = x < kMin ? kMin : (x > kMax ? kMax : x);
        }
        d[i] = static_cast<To>(x);
    }
}

void CastInt4ToHalf(void* dst, const void* src, size_t count, Round) {
    const auto* s = static_cast<const uint8_t*>(src);
    auto* d = static_cast<F16*>(dst);
    for (size_t i = 0; i < count; ++i) {
        const int nibble = s[i / 2] >> (i % 2 * 4) & 0xF;
        d[i] = FromFloat<F16>(static_cast<float>((nibble ^ 8) - 8));
    }
}

template <bool saturate>
void CastHalfToInt4(void* dst, const void* src, size_t count, Round round) {
    auto* d = static_cast<uint8_t*>(dst);
    alignas(64) int32_t whole[kChunk];
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t n = count - done < kChunk ? count - done : kChunk;
        CastToInteger<int32_t, F16>(whole, static_cast<const F16*>(src) + done, n, round);
        for (size_t i = 0; i < n; ++i) {
            const int32_t x = whole[i];
            const int32_t kept = !saturate ? x : (x < -8 ? -8 : (x > 7 ? 7 : x));
            uint8_t& byte = d[(done + i) / 2];
            byte = static_cast<uint8_t>(i % 2 == 0 ? kept & 0xF : byte | (kept & 0xF) << 4);
        }
    }
}

/// Converts int32_t to float, multiplies by `scale` and rounds once to half. The Ascend C library
/// does the same; its extra factors 2^-17 and 2^17 cancel out exactly.
void DequantInt32(void* dst, const void* src, float scale, size_t count) {
    InFloats<int32_t, F16>(dst, src, count, [scale](F16* d, float* values, size_t n) {
        for (size_t i = 0; i < n; ++i) {
            values[i] = values[i] * scale;
        }
        NarrowHalf(d, values, n);
    });
}

template <uint16_t infinity>
void Clamp16(void* values, size_t count) {
    auto* v = static_cast<uint16_t*>(values);
    for (size_t i = 0; i < count; ++i) {
        const auto magnitude = static_cast<uint16_t>(v[i] & 0x7FFFU);
        const auto largest = static_cast<uint16_t>((v[i] & 0x8000U) | (infinity - 1U));
        v[i] = magnitude > infinity ? 0 : (magnitude == infinity ? largest : v[i]);
    }
}

void Clamp32(void* values, size_t count) {
    auto* v = static_cast<uint32_t*>(values);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t magnitude = v[i] & 0x7FFFFFFFU;
        const uint32_t largest = (v[i] & 0x80000000U) | 0x7F7FFFFFU;
        v[i] = magnitude > 0x7F800000U ? 0 : (magnitude == 0x7F800000U ? largest : v[i]);
    }
}

void SetToFloats(CastTable& table) {
    const auto set = [&table](Dtype to, Dtype from, twin::lanes::CastFn cast) {
        table.cast[static_cast<size_t>(to)][static_cast<size_t>(from)] = cast;
    };
    set(Dtype::F32, Dtype::F16, CastToFloat<F16>);
    set(Dtype::F32, Dtype::Bf16, CastToFloat<Bf16>);
    set(Dtype::F32, Dtype::I16, CastToFloat<int16_t>);
    set(Dtype::F32, Dtype::I32, CastIntegerToFloat<int32_t>);
    set(Dtype::F32, Dtype::I64, CastIntegerToFloat<int64_t>);
    set(Dtype::F32, Dtype::F32, CastFloatToFloat);
    set(Dtype::F16, Dtype::F32, CastFloatToHalf);
    set(Dtype::F16, Dtype::I8, CastIntegerToHalf<int8_t>);
    set(Dtype::F16, Dtype::U8, CastIntegerToHalf<uint8_t>);
    set(Dtype::F16, Dtype::I16, CastIntegerToHalf<int16_t>);
    set(Dtype::F16, Dtype::I4, CastInt4ToHalf);
    set(Dtype::Bf16, Dtype::F32, CastFloatToBf16);
    table.int32ToHalf = DequantInt32;
    table.clamp[static_cast<size_t>(Dtype::F16)] = Clamp16<0x7C00>;
    table.clamp[static_cast<size_t>(Dtype::Bf16)] = Clamp16<0x7F80>;
    table.clampFloat = Clamp32;
}

void SetToIntegers(CastTable& table) {
    const auto set = [&table](Dtype to, Dtype from, twin::lanes::CastFn cast,
                              twin::lanes::CastFn truncating) {
        table.cast[static_cast<size_t>(to)][static_cast<size_t>(from)] = cast;
        table.truncating[static_cast<size_t>(to)][static_cast<size_t>(from)] = truncating;
    };
    set(Dtype::I8, Dtype::F16, CastToInteger<int8_t, F16>, TruncateToInteger<int8_t, F16>);
    set(Dtype::U8, Dtype::F16, CastToInteger<uint8_t, F16>, TruncateToInteger<uint8_t, F16>);
    set(Dtype::I16, Dtype::F16, CastToInteger<int16_t, F16>, TruncateToInteger<int16_t, F16>);
    set(Dtype::I32, Dtype::F16, CastToInteger<int32_t, F16>, nullptr);
    set(Dtype::I4, Dtype::F16, CastHalfToInt4<true>, CastHalfToInt4<false>);
    set(Dtype::I32, Dtype::Bf16, CastToInteger<int32_t, Bf16>, TruncateToInteger<int32_t, Bf16>);
    set(Dtype::I16, Dtype::F32, CastToInteger<int16_t, float>, TruncateToInteger<int16_t, float>);
    set(Dtype::I32, Dtype::F32, CastToInteger<int32_t, float>, TruncateToInteger<int32_t, float>);
    set(Dtype::I64, Dtype::F32, CastToInteger<int64_t, float>, nullptr);
    set(Dtype::I16, Dtype::I32, CastInteger<int16_t, int32_t, true>,
        CastInteger<int16_t, int32_t, false>);
    set(Dtype::I32, Dtype::I64, CastInteger<int32_t, int64_t, true>,
        CastInteger<int32_t, int64_t, false>);
    set(Dtype::I64, Dtype::I32, CastInteger<int64_t, int32_t, true>, nullptr);
}

CastTable MakeTable() {
    CastTable table = {};
    SetToFloats(table);
    SetToIntegers(table);
    return table;
}

}  // namespace

TWIN_LANES_TABLE(CastTable, CastLanes, MakeTable())
