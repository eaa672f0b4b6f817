// SPDX-License-Identifier: Apache-2.0
#pragma once

// The host's bfloat16 number: arithmetic is done in float and rounded to nearest even.
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>

#include "core/float16.h"
#include "opdev/fp16_t.h"

namespace op {

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

struct bfloat16 {
    struct from_bits_t {};
    static constexpr from_bits_t from_bits() { return {}; }

    constexpr bfloat16() : value(0) {}
    constexpr bfloat16(uint16_t bits, from_bits_t) : value(bits) {}
    bfloat16(float number) : value(round_to_bfloat16(number).value) {}
    bfloat16(const complex64& number) : bfloat16(number.real()) {}
    bfloat16(const complex128& number) : bfloat16(static_cast<float>(number.real())) {}
    template <typename T>
    bfloat16(const T& number) : bfloat16(static_cast<float>(number)) {}

    template <typename T>
    bfloat16& operator=(T number) {
        return *this = round_to_bfloat16(static_cast<float>(number));
    }

    operator float() const { return twin::Bfloat16ToFloat(value); }
    operator double() const { return float(*this); }
    operator complex64() const { return {float(*this), 0.0F}; }
    operator complex128() const { return {double(*this), 0.0}; }
    /// Numbers below float's epsilon are false, as in the toolkit.
    operator bool() const {
        return std::abs(float(*this)) >= std::numeric_limits<float>::epsilon();
    }
#define TWIN_BFLOAT16_TO(TYPE) \
    operator TYPE() const { return static_cast<TYPE>(float(*this)); }
    TWIN_BFLOAT16_TO(char)
    TWIN_BFLOAT16_TO(signed char)
    TWIN_BFLOAT16_TO(unsigned char)
    TWIN_BFLOAT16_TO(short)
    TWIN_BFLOAT16_TO(unsigned short)
    TWIN_BFLOAT16_TO(int)
    TWIN_BFLOAT16_TO(unsigned int)
    TWIN_BFLOAT16_TO(long)
    TWIN_BFLOAT16_TO(unsigned long)
    TWIN_BFLOAT16_TO(long long)
    TWIN_BFLOAT16_TO(unsigned long long)
#undef TWIN_BFLOAT16_TO

    static bfloat16 round_to_bfloat16(float number) {
        // Every NaN gives the same NaN here; the kernel's conversion keeps its upper bits.
        const uint16_t bits = std::isnan(number) ? NAN_VALUE : twin::FloatToBfloat16(number);
        return {bits, from_bits()};
    }

    static constexpr bfloat16 epsilon() { return {0x3C00, from_bits()}; }
    static constexpr bfloat16 highest() { return {0x7F7F, from_bits()}; }
    static constexpr bfloat16 lowest() { return {0xFF7F, from_bits()}; }
    static constexpr bfloat16 min_positive_normal() { return {0x0080, from_bits()}; }

    bool IsZero() const { return (value & 0x7FFFU) == 0; }

    uint16_t value;

    static constexpr uint16_t NAN_VALUE = 0x7FC0;
};

inline std::ostream& operator<<(std::ostream& out, const bfloat16& number) {
    return out << float(number);
}

inline bfloat16 operator+(bfloat16 a, bfloat16 b) { return float(a) + float(b); }
inline bfloat16 operator+(bfloat16 a, int b) { return float(a) + static_cast<float>(b); }
inline bfloat16 operator+(int a, bfloat16 b) { return static_cast<float>(a) + float(b); }
inline bfloat16 operator-(bfloat16 a, bfloat16 b) { return float(a) - float(b); }
inline bfloat16 operator*(bfloat16 a, bfloat16 b) { return float(a) * float(b); }
inline bfloat16 operator/(bfloat16 a, bfloat16 b) { return float(a) / float(b); }
inline bfloat16 operator-(bfloat16 a) {
    return {static_cast<uint16_t>(a.value ^ 0x8000U), bfloat16::from_bits()};
}

inline bool operator<(bfloat16 a, bfloat16 b) { return float(a) < float(b); }
template <typename T>
bool operator<(T a, bfloat16 b) {
    return static_cast<float>(a) < float(b);
}
template <typename T>
bool operator>(T a, bfloat16 b) {
    return static_cast<float>(a) > float(b);
}
inline bool operator<=(bfloat16 a, bfloat16 b) { return float(a) <= float(b); }
inline bool operator>=(bfloat16 a, bfloat16 b) { return float(a) >= float(b); }
/// Compares bits, as in the toolkit: a NaN equals itself, and 0 differs from -0.
inline bool operator==(bfloat16 a, bfloat16 b) { return a.value == b.value; }
inline bool operator!=(bfloat16 a, bfloat16 b) { return a.value != b.value; }

inline bfloat16& operator+=(bfloat16& a, bfloat16 b) { return a = a + b; }
inline bfloat16& operator-=(bfloat16& a, bfloat16 b) { return a = a - b; }
inline bfloat16& operator*=(bfloat16& a, bfloat16 b) { return a = a * b; }
inline bfloat16& operator/=(bfloat16& a, bfloat16 b) { return a = a / b; }
inline bfloat16 operator++(bfloat16& a) { return a += bfloat16(1.0F); }
inline bfloat16 operator--(bfloat16& a) { return a -= bfloat16(1.0F); }
inline bfloat16 operator++(bfloat16& a, int) {
    const bfloat16 before = a;
    ++a;
    return before;
}
inline bfloat16 operator--(bfloat16& a, int) {
    const bfloat16 before = a;
    --a;
    return before;
}

inline tagFp16::tagFp16(const bfloat16& value) : tagFp16(float(value)) {}
inline tagFp16::operator bfloat16() const { return float(*this); }

}  // namespace op

namespace std {

template <>
struct hash<op::bfloat16> {
    size_t operator()(const op::bfloat16& number) const { return hash<float>()(float(number)); }
};

using op::bfloat16;

inline bool isinf(const bfloat16& a) { return std::isinf(float(a)); }
inline bool isnan(const bfloat16& a) { return std::isnan(float(a)); }
inline bool isfinite(const bfloat16& a) { return std::isfinite(float(a)); }
inline bfloat16 pow(const bfloat16& a, const bfloat16& b) { return std::pow(float(a), float(b)); }
#define TWIN_BFLOAT16_FUNCTION(NAME) \
    inline bfloat16 NAME(const bfloat16& a) { return std::NAME(float(a)); }
TWIN_BFLOAT16_FUNCTION(abs)
TWIN_BFLOAT16_FUNCTION(exp)
TWIN_BFLOAT16_FUNCTION(log)
TWIN_BFLOAT16_FUNCTION(log10)
TWIN_BFLOAT16_FUNCTION(sqrt)
TWIN_BFLOAT16_FUNCTION(sin)
TWIN_BFLOAT16_FUNCTION(cos)
TWIN_BFLOAT16_FUNCTION(tan)
TWIN_BFLOAT16_FUNCTION(tanh)
TWIN_BFLOAT16_FUNCTION(floor)
TWIN_BFLOAT16_FUNCTION(ceil)
#undef TWIN_BFLOAT16_FUNCTION

/// All values are the toolkit's, also the signalling NaN, which has the bits of infinity.
template <>
class numeric_limits<op::bfloat16> : public numeric_limits<float> {
public:
    static constexpr bool is_exact = false;
    static constexpr bool is_iec559 = false;
    static constexpr int digits = 8;
    static constexpr int digits10 = 2;
    static constexpr int max_digits10 = 4;

    static constexpr op::bfloat16 min() { return op::bfloat16::min_positive_normal(); }
    static constexpr op::bfloat16 lowest() { return op::bfloat16::lowest(); }
    static constexpr op::bfloat16 max() { return op::bfloat16::highest(); }
    static constexpr op::bfloat16 epsilon() { return op::bfloat16::epsilon(); }
    static constexpr op::bfloat16 round_error() { return Of(0x3F00); }
    static constexpr op::bfloat16 infinity() { return Of(0x7F80); }
    static constexpr op::bfloat16 quiet_NaN() { return Of(op::bfloat16::NAN_VALUE); }
    static constexpr op::bfloat16 signaling_NaN() { return Of(0x7F80); }
    static constexpr op::bfloat16 denorm_min() { return Of(0x0001); }

private:
    static constexpr op::bfloat16 Of(uint16_t bits) {
        return op::bfloat16(bits, op::bfloat16::from_bits());
    }
};

}  // namespace std
