// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything here has internal linkage, see convert.h.

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "core/float16.h"

namespace {

/// Half and bfloat16 numbers as bit patterns; ToFloat and FromFloat convert them.
struct F16 {
    uint16_t bits;
};
struct Bf16 {
    uint16_t bits;
};

inline float ToFloat(float value) { return value; }
inline float ToFloat(F16 value) {
#if defined(__F16C__)
    return _cvtsh_ss(value.bits);
#else
    return twin::HalfToFloat(value.bits);
#endif
}
inline float ToFloat(Bf16 value) { return twin::Bfloat16ToFloat(value.bits); }

template <typename T>
inline T FromFloat(float value);
template <>
inline float FromFloat<float>(float value) {
    return value;
}
template <>
inline F16 FromFloat<F16>(float value) {
#if defined(__F16C__)
    return F16{_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT)};
#else
    return F16{twin::FloatToHalf(value)};
#endif
}
template <>
inline Bf16 FromFloat<Bf16>(float value) {
    return Bf16{twin::FloatToBfloat16(value)};
}

}  // namespace
