// SPDX-License-Identifier: Apache-2.0
#pragma once

// The host's binary16 number. It is a number of its own beside the kernel's half: it converts from
// and to all arithmetic types, and conversions to integers round to nearest even and saturate.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/float16.h"

namespace op {

struct bfloat16;

struct tagFp16 {
    uint16_t val = 0;

    tagFp16() = default;
    /// The constructor from uint16_t takes bits; the assignment of a uint16_t takes a value.
    constexpr tagFp16(const uint16_t& bits) : val(bits) {}
    template <typename T>
    tagFp16(const T& value) : val(Rounded(value)) {}
    tagFp16(const bfloat16& value);  // opdev/bfloat16.h defines the conversions with bfloat16

    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    tagFp16& operator=(const T& value) {
        val = Rounded(value);
        return *this;
    }

    operator float() const { return twin::HalfToFloat(val); }
    operator double() const { return float(*this); }
    operator bfloat16() const;
    operator bool() const { return val != 0; }
    operator int8_t() const { return Integer<int8_t>(); }
    operator uint8_t() const { return Integer<uint8_t>(); }
    operator int16_t() const { return Integer<int16_t>(); }
    operator uint16_t() const { return Integer<uint16_t>(); }
    operator int32_t() const { return Integer<int32_t>(); }
    operator uint32_t() const { return Integer<uint32_t>(); }
    operator int64_t() const { return Integer<int32_t>(); }
    operator uint64_t() const { return Integer<uint32_t>(); }

    float toFloat() const { return *this; }
    double toDouble() const { return *this; }
    int8_t toInt8() const { return *this; }
    uint8_t toUInt8() const { return *this; }
    int16_t toInt16() const { return *this; }
    uint16_t toUInt16() const { return *this; }
    int32_t toInt32() const { return *this; }
    uint32_t toUInt32() const { return *this; }
    /// Returns 1 for infinity, -1 for minus infinity, otherwise 0.
    int IsInf() const { return val == 0x7C00U ? 1 : val == 0xFC00U ? -1 : 0; }

    tagFp16 operator+(const tagFp16 other) const { return float(*this) + float(other); }
    tagFp16 operator-(const tagFp16 other) const { return float(*this) - float(other); }
    tagFp16 operator*(const tagFp16 other) const { return float(*this) * float(other); }
    /// A division by zero gives the largest finite number, as in the toolkit.
    tagFp16 operator/(const tagFp16 other) const {
        if ((other.val & 0x7FFFU) == 0) {
            return static_cast<uint16_t>(((val ^ other.val) & 0x8000U) | 0x7BFFU);
        }
        return float(*this) / float(other);
    }
    tagFp16 operator+=(const tagFp16 other) { return *this = *this + other; }
    tagFp16 operator-=(const tagFp16 other) { return *this = *this - other; }
    tagFp16 operator*=(const tagFp16 other) { return *this = *this * other; }
    tagFp16 operator/=(const tagFp16 other) { return *this = *this / other; }

    /// Compares bits, so that a NaN equals itself; both zeros are equal.
    bool operator==(const tagFp16& other) const {
        return val == other.val || ((val | other.val) & 0x7FFFU) == 0;
    }
    bool operator!=(const tagFp16& other) const { return !(*this == other); }
    bool operator>(const tagFp16& other) const { return float(*this) > float(other); }
    bool operator>=(const tagFp16& other) const { return float(*this) >= float(other); }
    bool operator<(const tagFp16& other) const { return float(*this) < float(other); }
    bool operator<=(const tagFp16& other) const { return float(*this) <= float(other); }

private:
    template <typename T>
    static uint16_t Rounded(const T& value) {
        const float near = static_cast<float>(value);
        // A double between two floats must not be rounded twice: an odd last bit keeps the side.
        const double rest = static_cast<double>(value) - near;
        uint32_t bits = twin::BitsOf(near);
        if (std::isfinite(near) && rest != 0 && (bits & 1U) == 0) {
            bits += (rest > 0) == (near > 0) ? 1 : -1;
        }
        return twin::FloatToHalf(twin::FloatOf(bits));
    }

    /// Infinity and NaN give the largest integer, or the smallest one if the sign is set.
    template <typename T>
    T Integer() const {
        constexpr double kLow = std::numeric_limits<T>::min();
        constexpr double kHigh = std::numeric_limits<T>::max();
        if ((val & 0x7C00U) == 0x7C00U) {
            return (val & 0x8000U) == 0 ? std::numeric_limits<T>::max()
                                        : std::numeric_limits<T>::min();
        }
        return static_cast<T>(std::min(kHigh, std::max(kLow, std::nearbyint(double(*this)))));
    }
};

using fp16_t = tagFp16;

template <typename T>
bool operator<(T a, fp16_t b) {
    return a < static_cast<T>(b);
}

template <typename T>
bool operator>(T a, fp16_t b) {
    return a > static_cast<T>(b);
}

}  // namespace op

namespace std {

inline bool isnan(op::fp16_t value) { return (value.val & 0x7FFFU) > 0x7C00U; }
inline float abs(op::fp16_t value) { return std::abs(value.toFloat()); }

}  // namespace std
