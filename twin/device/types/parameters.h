// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/types.h"
#include "device/types/stride_use.h"

// Macros for the parameter structures of API calls. Names, member order and constructors are those
// of the 8.1.RC1 headers: a default constructor, and one or more that set members. TWIN_PARAMETERS
// is for structures with one constructor that sets all members in their order:
//     TWIN_PARAMETERS(UnPadParams, (uint16_t, leftPad, 0), (uint16_t, rightPad, 0))
// Otherwise TWIN_DEFAULT makes the default constructor, TWIN_MEMBERS lists the members, and
// TWIN_CONSTRUCTOR lists what a constructor sets:
//     TWIN_CONSTRUCTOR(UnPadParams, (uint16_t, leftPad), (uint16_t, rightPad, = 0))
// Each constructor has a second form, which checks the values (fields.h).

namespace twin {

template <typename To, typename From>
constexpr void SetMember(To& to, const From& from) {
    to = static_cast<To>(from);
}
template <typename T, size_t kCount>
constexpr void SetMember(T (&to)[kCount], const T* from) {
    for (size_t i = 0; i < kCount; ++i) {
        to[i] = from[i];
    }
}

}  // namespace twin

/// Expands to nothing, in place of a parameter that one overload does not have.
#define TWIN_NOTHING(...)

// clang-format off
// TWIN_EACH(M, (a, b), (c, d)) expands to M(a, b) M(c, d); it accepts up to 20 lists.
#define TWIN_EACH_1(M, X) M X
#define TWIN_EACH_2(M, X, ...) M X TWIN_EACH_1(M, __VA_ARGS__)
#define TWIN_EACH_3(M, X, ...) M X TWIN_EACH_2(M, __VA_ARGS__)
#define TWIN_EACH_4(M, X, ...) M X TWIN_EACH_3(M, __VA_ARGS__)
#define TWIN_EACH_5(M, X, ...) M X TWIN_EACH_4(M, __VA_ARGS__)
#define TWIN_EACH_6(M, X, ...) M X TWIN_EACH_5(M, __VA_ARGS__)
#define TWIN_EACH_7(M, X, ...) M X TWIN_EACH_6(M, __VA_ARGS__)
#define TWIN_EACH_8(M, X, ...) M X TWIN_EACH_7(M, __VA_ARGS__)
#define TWIN_EACH_9(M, X, ...) M X TWIN_EACH_8(M, __VA_ARGS__)
#define TWIN_EACH_10(M, X, ...) M X TWIN_EACH_9(M, __VA_ARGS__)
#define TWIN_EACH_11(M, X, ...) M X TWIN_EACH_10(M, __VA_ARGS__)
#define TWIN_EACH_12(M, X, ...) M X TWIN_EACH_11(M, __VA_ARGS__)
#define TWIN_EACH_13(M, X, ...) M X TWIN_EACH_12(M, __VA_ARGS__)
#define TWIN_EACH_14(M, X, ...) M X TWIN_EACH_13(M, __VA_ARGS__)
#define TWIN_EACH_15(M, X, ...) M X TWIN_EACH_14(M, __VA_ARGS__)
#define TWIN_EACH_16(M, X, ...) M X TWIN_EACH_15(M, __VA_ARGS__)
#define TWIN_EACH_17(M, X, ...) M X TWIN_EACH_16(M, __VA_ARGS__)
#define TWIN_EACH_18(M, X, ...) M X TWIN_EACH_17(M, __VA_ARGS__)
#define TWIN_EACH_19(M, X, ...) M X TWIN_EACH_18(M, __VA_ARGS__)
#define TWIN_EACH_20(M, X, ...) M X TWIN_EACH_19(M, __VA_ARGS__)
#define TWIN_EACH_PICK( \
    _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20, \
    N, ...) N
#define TWIN_EACH(M, ...) \
    TWIN_EACH_PICK(__VA_ARGS__, TWIN_EACH_20, TWIN_EACH_19, TWIN_EACH_18, TWIN_EACH_17, \
    TWIN_EACH_16, TWIN_EACH_15, TWIN_EACH_14, TWIN_EACH_13, TWIN_EACH_12, TWIN_EACH_11, \
    TWIN_EACH_10, TWIN_EACH_9, TWIN_EACH_8, TWIN_EACH_7, TWIN_EACH_6, TWIN_EACH_5, TWIN_EACH_4, \
    TWIN_EACH_3, TWIN_EACH_2, TWIN_EACH_1)(M, __VA_ARGS__)
// clang-format on

#define TWIN_DEFAULT(CLASS)       \
    CLASS() = default;            \
    using TwinParameters = CLASS; \
    constexpr CLASS(::twin::TwinParens, const CLASS& other) : CLASS(other) {}

#define TWIN_ARGUMENT(TYPE, NAME, ...) TYPE NAME##In __VA_ARGS__
#define TWIN_NEXT_ARGUMENT(TYPE, NAME, ...) , TYPE NAME##In __VA_ARGS__
#define TWIN_NEXT_FIT(TYPE, NAME, ...) , typename ::twin::FitOf<TYPE>::Type NAME##In __VA_ARGS__
#define TWIN_SET_MEMBER(TYPE, NAME, ...) ::twin::SetMember(NAME, NAME##In);
#define TWIN_SET_FIT(TYPE, NAME, ...) \
    ::twin::SetMember(NAME, ::twin::ValueFor(#NAME, ::twin::UseOf(*this, #NAME), NAME##In));
#define TWIN_CONSTRUCTOR(CLASS, FIRST, ...)                                                    \
    CLASS(TWIN_ARGUMENT FIRST TWIN_EACH(TWIN_NEXT_ARGUMENT, __VA_ARGS__)){TWIN_EACH(           \
        TWIN_SET_MEMBER, FIRST,                                                                \
        __VA_ARGS__)} CLASS(::twin::TwinParens TWIN_EACH(TWIN_NEXT_FIT, FIRST, __VA_ARGS__)) { \
        TWIN_EACH(TWIN_SET_FIT, FIRST, __VA_ARGS__)                                            \
    }

#define TWIN_MEMBER(TYPE, NAME, ...) TYPE NAME = __VA_ARGS__;
#define TWIN_MEMBERS(...) TWIN_EACH(TWIN_MEMBER, __VA_ARGS__)

/// Defines the strides of Brcb and Gatherb, whose destination consists of whole blocks.
#define TWIN_BLOCK_STRIDES(CLASS, TYPE)                                              \
    struct CLASS {                                                                   \
        TWIN_DEFAULT(CLASS)                                                          \
        TWIN_CONSTRUCTOR(CLASS, (TYPE, dstBlkStride), (TYPE, dstRepStride))          \
        TWIN_MEMBERS((uint32_t, blockNumber, DEFAULT_BLK_NUM),                       \
                     (uint16_t, dstRepStride, DEFAULT_REPEAT_STRIDE),                \
                     (TYPE, dstBlkStride, DEFAULT_BLK_STRIDE),                       \
                     (uint8_t, src0BlkStride, DEFAULT_BLK_STRIDE),                   \
                     (uint8_t, src1BlkStride, DEFAULT_BLK_STRIDE),                   \
                     (uint8_t, src0RepStride, DEFAULT_REPEAT_STRIDE),                \
                     (uint8_t, src1RepStride, DEFAULT_REPEAT_STRIDE),                \
                     (bool, repeatStrideMode, false), (bool, strideSizeMode, false)) \
    };

#define TWIN_MEMBER_ARGUMENT(TYPE, NAME, ...) TYPE NAME##In
#define TWIN_NEXT_MEMBER_ARGUMENT(TYPE, NAME, ...) , TYPE NAME##In
#define TWIN_NEXT_MEMBER_FIT(TYPE, NAME, ...) , typename ::twin::FitOf<TYPE>::Type NAME##In
#define TWIN_PARAMETERS(CLASS, FIRST, ...)                                                       \
    struct CLASS {                                                                               \
        TWIN_DEFAULT(CLASS)                                                                      \
        constexpr CLASS(TWIN_MEMBER_ARGUMENT FIRST TWIN_EACH(TWIN_NEXT_MEMBER_ARGUMENT,          \
                                                             __VA_ARGS__)) {                     \
            TWIN_EACH(TWIN_SET_MEMBER, FIRST, __VA_ARGS__)                                       \
        }                                                                                        \
        constexpr CLASS(::twin::TwinParens TWIN_EACH(TWIN_NEXT_MEMBER_FIT, FIRST, __VA_ARGS__)){ \
            TWIN_EACH(TWIN_SET_FIT, FIRST, __VA_ARGS__)} TWIN_EACH(TWIN_MEMBER, FIRST,           \
                                                                   __VA_ARGS__)                  \
    };

namespace twin {

/// Returns the low 8 bits of `value`, which does not fit 8 bits; fails in strict mode (T402).
TWIN_API uint8_t WrapTo8(int64_t value, Location where);

/// A parameter that the API declares as uint8_t. The device compiler silently cuts a value such as
/// 256 to 0; this type checks the value before it is cut.
class Narrow8 {
public:
    Narrow8(uint8_t value) : value_(value) {}
    template <typename T,
              typename = std::enable_if_t<std::is_arithmetic<T>::value || std::is_enum<T>::value>>
    Narrow8(T value, TWIN_HERE)
        : value_(static_cast<int64_t>(value) >= 0 && static_cast<int64_t>(value) <= UINT8_MAX
                     ? static_cast<uint8_t>(value)
                     : WrapTo8(static_cast<int64_t>(value), here)) {}

    operator uint8_t() const { return value_; }

private:
    uint8_t value_;
};

template <>
struct FitOf<Narrow8> {
    using Type = TwinFit<uint8_t>;
};

}  // namespace twin

#ifndef likely
#define likely(condition) __builtin_expect(!!(condition), 1)
#endif
#ifndef unlikely
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#endif

/// Expands to the arguments of ShapeInfo: the number of dimensions, and an array with their sizes.
#define ASCENDC_SHAPE(dimensions, ...) \
    dimensions, (const uint32_t[]) { __VA_ARGS__ }

namespace AscendC {

// Integer helpers of the toolkit, with its argument types: wider arguments are cut to 32 bits.

/// Returns a / b, rounded up; b must not be 0.
constexpr uint32_t ConstCeil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return ConstCeil(a, b); }
constexpr uint32_t Ceil(uint32_t a, uint32_t b) { return ConstCeil(a, b); }
/// Returns the smallest multiple of b that is not below a.
constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return ConstCeil(a, b) * b; }
/// Returns num1 / num2, rounded up for positive numbers; returns 0 if num2 is 0.
constexpr int32_t CeilDivision(int32_t num1, int32_t num2) {
    return num2 == 0 ? 0 : (num1 + num2 - 1) / num2;
}

}  // namespace AscendC

// min and max of two scalars of one type, which the device compiler has built in. Because of the
// parameter pack, the compiler prefers min and max of the kernel itself to the functions below.

template <typename T, typename... Nothing>
constexpr T min(T a, T b, Nothing...) {
    static_assert(sizeof...(Nothing) == 0, "min: two scalars");
    return b < a ? b : a;
}
template <typename T, typename... Nothing>
constexpr T max(T a, T b, Nothing...) {
    static_assert(sizeof...(Nothing) == 0, "max: two scalars");
    return a < b ? b : a;
}
