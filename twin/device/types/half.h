// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/float16.h"
#include "core/types.h"

/// IEEE binary16 on the scalar unit: arithmetic is done in float and rounded to nearest even. It is
/// a class, because host compilers have a built-in 16-bit float only for some processors.
class half {
public:
    half() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
    TWIN_CONSTANT_HALF half(T value)
        : bits_(Round(static_cast<float>(value))) {}  // implicit, as on the device

    TWIN_CONSTANT_HALF operator float() const { return twin::HalfToFloat(bits_); }

    half& operator+=(half other) { return *this = *this + other; }
    half& operator-=(half other) { return *this = *this - other; }
    half& operator*=(half other) { return *this = *this * other; }
    half& operator/=(half other) { return *this = *this / other; }
    TWIN_CONSTANT_HALF half operator-() const { return FromBits(bits_ ^ 0x8000U); }

    friend TWIN_CONSTANT_HALF half operator+(half a, half b) { return half(float(a) + float(b)); }
    friend TWIN_CONSTANT_HALF half operator-(half a, half b) { return half(float(a) - float(b)); }
    friend TWIN_CONSTANT_HALF half operator*(half a, half b) { return half(float(a) * float(b)); }
    friend TWIN_CONSTANT_HALF half operator/(half a, half b) { return half(float(a) / float(b)); }
    friend TWIN_CONSTANT_HALF bool operator<(half a, half b) { return float(a) < float(b); }
    friend TWIN_CONSTANT_HALF bool operator>(half a, half b) { return float(a) > float(b); }
    friend TWIN_CONSTANT_HALF bool operator<=(half a, half b) { return float(a) <= float(b); }
    friend TWIN_CONSTANT_HALF bool operator>=(half a, half b) { return float(a) >= float(b); }
    friend TWIN_CONSTANT_HALF bool operator==(half a, half b) { return float(a) == float(b); }
    friend TWIN_CONSTANT_HALF bool operator!=(half a, half b) { return float(a) != float(b); }

    static TWIN_CONSTANT_HALF half FromBits(uint32_t bits) {
        half value(0);
        value.bits_ = static_cast<uint16_t>(bits);
        return value;
    }
    TWIN_CONSTANT_HALF uint16_t Bits() const { return bits_; }

private:
    static TWIN_CONSTANT_HALF uint16_t Round(float value) { return twin::FloatToHalf(value); }

    uint16_t bits_;
};

// An operation on a half and a C++ number converts both as if half were a built-in type: with an
// integer the result is half, with float or double the result is float or double.
#define TWIN_HALF_MIXED(OP, RESULT_INTEGER)                                          \
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>> \
    TWIN_CONSTANT_HALF inline auto operator OP(half a, T b) {                        \
        if constexpr (std::is_floating_point<T>::value) {                            \
            return static_cast<T>(static_cast<float>(a)) OP b;                       \
        } else {                                                                     \
            return RESULT_INTEGER(a OP half(b));                                     \
        }                                                                            \
    }                                                                                \
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>> \
    TWIN_CONSTANT_HALF inline auto operator OP(T a, half b) {                        \
        if constexpr (std::is_floating_point<T>::value) {                            \
            return a OP static_cast<T>(static_cast<float>(b));                       \
        } else {                                                                     \
            return RESULT_INTEGER(half(a) OP b);                                     \
        }                                                                            \
    }
TWIN_HALF_MIXED(+, half)
TWIN_HALF_MIXED(-, half)
TWIN_HALF_MIXED(*, half)
TWIN_HALF_MIXED(/, half)
TWIN_HALF_MIXED(<, bool)
TWIN_HALF_MIXED(>, bool)
TWIN_HALF_MIXED(<=, bool)
TWIN_HALF_MIXED(>=, bool)
TWIN_HALF_MIXED(==, bool)
TWIN_HALF_MIXED(!=, bool)
#undef TWIN_HALF_MIXED

static_assert(sizeof(half) == 2 && std::is_trivially_copyable<half>::value,
              "half is two plain bytes");

// Other names of the device compiler. Some sources define float16_t, which is newer than CANN 8.1.
#ifndef float16_t
using float16_t = half;
#endif
using float32_t = float;

/// A bfloat16 number. The scalar unit has no arithmetic for it; AscendC::ToFloat, ToBfloat16 and
/// Cast convert it.
class bfloat16_t {
public:
    bfloat16_t() = default;
    TWIN_CONSTANT_HALF bfloat16_t(float value)
        : bits_(twin::FloatToBfloat16(value)) {}  // implicit, as in CPU debugging of the toolkit

    TWIN_CONSTANT_HALF operator float() const { return twin::Bfloat16ToFloat(bits_); }

    static bfloat16_t FromBits(uint32_t bits) {
        bfloat16_t value;
        value.bits_ = static_cast<uint16_t>(bits);
        return value;
    }
    uint16_t Bits() const { return bits_; }

private:
    uint16_t bits_;
};

// The device compiler's name. A macro, because newer host compilers have a type of this name.
#define __bf16 bfloat16_t

static_assert(sizeof(bfloat16_t) == 2 && std::is_trivially_copyable<bfloat16_t>::value,
              "two plain bytes");

namespace AscendC {

constexpr uint32_t INT4_TWO = 2;
constexpr uint32_t INT4_BIT_NUM = 4;

/// A signed 4-bit integer. In a tensor, two elements share a byte; the element with the even index
/// is in the low 4 bits. A single object of this class has a byte of its own.
class int4b_t {
public:
    int4b_t() = default;
    int4b_t(int32_t value)
        : bits_(static_cast<uint8_t>(value) & 0xFU) {}  // implicit conversion, as on the device
    int4b_t(uint32_t value) : bits_(static_cast<uint8_t>(value) & 0xFU) {}

    operator int8_t() const { return static_cast<int8_t>((bits_ ^ 8U) - 8U); }
    uint8_t Bits() const { return bits_; }

private:
    uint8_t bits_;
};

static_assert(sizeof(int4b_t) == 1, "tensors of int4b_t are viewed as bytes");

}  // namespace AscendC

namespace twin {

template <typename T>
constexpr uint32_t kElementBits =
    std::is_same<T, AscendC::int4b_t>::value ? 4 : static_cast<uint32_t>(sizeof(T) * 8);

/// Returns the size of `count` elements in a tensor, in bytes.
template <typename T>
constexpr uint64_t BytesOf(uint64_t count) {
    return count * kElementBits<T> / 8;
}

/// Returns the number of elements in `bytes` bytes of a tensor.
template <typename T>
constexpr uint32_t ElementsIn(uint32_t bytes) {
    return static_cast<uint32_t>(static_cast<uint64_t>(bytes) * 8 / kElementBits<T>);
}

/// Returns element `index` of an int4b_t tensor; `place` is the byte that contains it.
inline AscendC::int4b_t Nibble(const void* place, uint32_t index) {
    return AscendC::int4b_t(
        static_cast<uint32_t>(*static_cast<const uint8_t*>(place) >> (index % 2 * 4)));
}

inline void SetNibble(void* place, uint32_t index, AscendC::int4b_t value) {
    auto* byte = static_cast<uint8_t*>(place);
    const uint32_t shift = index % 2 * 4;
    *byte = static_cast<uint8_t>((*byte & ~(0xFU << shift)) | (value.Bits() << shift));
}

}  // namespace twin
