// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

// For functions that are compiled for several instruction sets. If they were not always inlined,
// the linker would keep one copy for all instruction sets.
#define TWIN_ALWAYS_INLINE inline __attribute__((always_inline))

// Kernels have constants of half, if the compiler copies bits in constant expressions (g++ 11).
#if defined(__clang__) || __GNUC__ >= 11
#define TWIN_CONSTANT_HALF constexpr
#else
#define TWIN_CONSTANT_HALF
#endif

namespace twin {

template <typename To, typename From>
TWIN_ALWAYS_INLINE TWIN_CONSTANT_HALF To BitCast(From from) {
#if defined(__clang__) || __GNUC__ >= 11
    return __builtin_bit_cast(To, from);
#else
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
#endif
}

TWIN_ALWAYS_INLINE TWIN_CONSTANT_HALF uint32_t BitsOf(float value) {
    return BitCast<uint32_t>(value);
}

TWIN_ALWAYS_INLINE TWIN_CONSTANT_HALF float FloatOf(uint32_t bits) { return BitCast<float>(bits); }

/// Converts IEEE binary16 bits to float exactly. The function has no branches, so that the compiler
/// can vectorise loops that call it.
TWIN_ALWAYS_INLINE TWIN_CONSTANT_HALF float HalfToFloat(uint16_t half) {
    const uint32_t magnitude = static_cast<uint32_t>(half & 0x7FFFU) << 13;
    // Subnormals are right because the product with 2^112 is exact.
    const uint32_t scaled = BitsOf(FloatOf(magnitude) * 0x1p112F);
    // NaN becomes quiet, as in the CPU's conversion instruction.
    const uint32_t special = magnitude | (magnitude > 0x0F800000U ? 0x7FC00000U : 0x7F800000U);
    const uint32_t bits = magnitude >= 0x0F800000U ? special : scaled;
    return FloatOf(bits | (static_cast<uint32_t>(half & 0x8000U) << 16));
}

/// Converts float to IEEE binary16 bits, rounded to nearest even. Overflow gives infinity; NaN
/// gives a quiet NaN.
TWIN_ALWAYS_INLINE TWIN_CONSTANT_HALF uint16_t FloatToHalf(float value) {
    const uint32_t bits = BitsOf(value);
    const uint32_t sign = (bits >> 16) & 0x8000U;
    const uint32_t magnitude = bits & 0x7FFFFFFFU;
    // Normal results: changes the exponent's bias; adds 0xFFF plus the last kept bit to round.
    const uint32_t normal = (magnitude - 0x38000000U + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
    // Results below 2^-14: adding 0.5 makes the float adder round at the position of the last
    // subnormal bit.
    const uint32_t subnormal = BitsOf(FloatOf(magnitude) + 0.5F) - 0x3F000000U;
    uint32_t result = magnitude < 0x38800000U ? subnormal : normal;
    result = magnitude >= 0x477FF000U ? 0x7C00U : result;
    result = magnitude > 0x7F800000U ? (0x7E00U | ((magnitude >> 13) & 0x3FFU)) : result;
    return static_cast<uint16_t>(result | sign);
}

TWIN_ALWAYS_INLINE TWIN_CONSTANT_HALF float Bfloat16ToFloat(uint16_t bfloat16) {
    return FloatOf(static_cast<uint32_t>(bfloat16) << 16);
}

/// Converts float to bfloat16 bits, rounded to nearest even; NaN gives a quiet NaN.
TWIN_ALWAYS_INLINE TWIN_CONSTANT_HALF uint16_t FloatToBfloat16(float value) {
    const uint32_t bits = BitsOf(value);
    const uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    const bool nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
    return static_cast<uint16_t>(nan ? ((bits >> 16) | 0x40U) : rounded);
}

}  // namespace twin
