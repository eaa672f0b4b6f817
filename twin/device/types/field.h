// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "core/types.h"

// Fields of 8 or 16 bits in the parameter structures of API calls. A kernel uses a field as a plain
// integer. An assignment of a value that the field cannot hold is an error in strict mode; the chip
// silently uses the low bits.

namespace twin {

/// Called for a value that does not fit: fails in strict mode (T402).
TWIN_API void FieldOverflow(const char* name, int64_t value, uint32_t bits, bool isSigned,
                            Location where);
/// Returns the line of the call that returns to this address.
TWIN_API Location LineOfCaller(const void* returnAddress);

/// Returns a number that is assigned to a field, without its fraction. Enumerators, and classes
/// that convert to a number, count as numbers.
template <typename U>
constexpr auto FieldNumber(const U& from) {
    if constexpr (std::is_enum<U>::value) {
        return +static_cast<std::underlying_type_t<U>>(from);
    } else if constexpr (std::is_floating_point<U>::value) {
        return static_cast<int64_t>(from);
    } else {
        return +from;
    }
}

/// A value on the way to a field of type T, and the line that assigns it.
template <typename T>
struct FieldInput {
    T value;
    bool fits;
    int64_t given;
    Location where;

    template <typename U>
    constexpr FieldInput(const U& from, TWIN_HERE)
        : value(static_cast<T>(FieldNumber(from))),
          fits(Holds(FieldNumber(from))),
          given(static_cast<int64_t>(FieldNumber(from))),
          where(here) {}

private:
    template <typename U>
    constexpr bool Holds(U number) const {
        return static_cast<U>(value) == number && (value < T()) == (number < U());
    }
};

template <typename T>
class FieldValue {
public:
    FieldValue() = default;
    constexpr explicit FieldValue(T value) : value_(value) {}

    constexpr operator T&() { return value_; }
    constexpr operator T() const { return value_; }
    T* operator&() { return &value_; }
    const T* operator&() const { return &value_; }

protected:
    T value_;
};

/// A field. `Name::Text()` is its name. The class has few members, because the compiler
/// instantiates it for every field.
template <typename T, typename Name>
class Field : public FieldValue<T> {
public:
    Field() = default;
    constexpr explicit Field(T value) : FieldValue<T>(value) {}

    constexpr Field& operator=(const FieldInput<T>& input) {
        this->value_ = input.value;
        if (!input.fits) {
            FieldOverflow(Name::Text(), input.given, 8 * sizeof(T), std::is_signed<T>::value,
                          input.where);
        }
        return *this;
    }
    constexpr Field& operator=(std::initializer_list<T> list) {
        this->value_ = list.size() == 0 ? T() : *list.begin();
        return *this;
    }
};

/// Sets a field in an operator, which has no parameter for its line. Its caller has debug
/// information.
template <typename T, typename N, typename U>
Field<T, N>& SetField(Field<T, N>& field, const U& number, const void* caller) {
    FieldInput<T> input(number, Location());
    if (!input.fits) {
        input.where = LineOfCaller(caller);
    }
    return field = input;
}

#define TWIN_FIELD_OPERATOR(OP)                                                                \
    template <typename T, typename N, typename U>                                              \
    __attribute__((__noinline__)) Field<T, N>& operator OP##=(Field<T, N>& field, U operand) { \
        return SetField(field, static_cast<T>(field) OP operand, __builtin_return_address(0)); \
    }
TWIN_FIELD_OPERATOR(+)
TWIN_FIELD_OPERATOR(-)
TWIN_FIELD_OPERATOR(*)
TWIN_FIELD_OPERATOR(/)
TWIN_FIELD_OPERATOR(%)
TWIN_FIELD_OPERATOR(<<)
TWIN_FIELD_OPERATOR(>>)
TWIN_FIELD_OPERATOR(&)
TWIN_FIELD_OPERATOR(|)
TWIN_FIELD_OPERATOR(^)
#undef TWIN_FIELD_OPERATOR

#define TWIN_FIELD_STEP(OP)                                                              \
    template <typename T, typename N>                                                    \
    __attribute__((__noinline__)) Field<T, N>& operator OP##OP(Field<T, N>& field) {     \
        return SetField(field, static_cast<T>(field) OP 1, __builtin_return_address(0)); \
    }                                                                                    \
    template <typename T, typename N>                                                    \
    __attribute__((__noinline__)) T operator OP##OP(Field<T, N>& field, int) {           \
        const T before = field;                                                          \
        SetField(field, before OP 1, __builtin_return_address(0));                       \
        return before;                                                                   \
    }
TWIN_FIELD_STEP(+)
TWIN_FIELD_STEP(-)
#undef TWIN_FIELD_STEP

template <typename T>
constexpr bool kIsNarrow = std::is_same<T, uint8_t>::value || std::is_same<T, int8_t>::value ||
                           std::is_same<T, uint16_t>::value || std::is_same<T, int16_t>::value;

/// The type of a field that is declared as T.
template <typename T, typename Name>
using FieldOf = std::conditional_t<kIsNarrow<T>, Field<T, Name>, T>;

template <typename T>
constexpr T MinOfFields(T a, T b) {
    return b < a ? b : a;
}
template <typename T>
constexpr T MaxOfFields(T a, T b) {
    return a < b ? b : a;
}

}  // namespace twin

// min and max of a field and a number of its type, in the namespaces of the functions that kernels
// call.
#define TWIN_FIELD_MIN_MAX(API, OF)                                               \
    template <typename T, typename N>                                             \
    constexpr T API(const ::twin::Field<T, N>& a, const T& b) {                   \
        return ::twin::OF<T>(a, b);                                               \
    }                                                                             \
    template <typename T, typename N>                                             \
    constexpr T API(const T& a, const ::twin::Field<T, N>& b) {                   \
        return ::twin::OF<T>(a, b);                                               \
    }                                                                             \
    template <typename T, typename N, typename M>                                 \
    constexpr T API(const ::twin::Field<T, N>& a, const ::twin::Field<T, M>& b) { \
        return ::twin::OF<T>(a, b);                                               \
    }
#define TWIN_FIELD_FUNCTIONS             \
    TWIN_FIELD_MIN_MAX(min, MinOfFields) \
    TWIN_FIELD_MIN_MAX(max, MaxOfFields)
namespace twin {
TWIN_FIELD_FUNCTIONS
}  // namespace twin
namespace std {
TWIN_FIELD_FUNCTIONS
}  // namespace std
namespace AscendC::Std {
TWIN_FIELD_FUNCTIONS
}  // namespace AscendC::Std
#undef TWIN_FIELD_FUNCTIONS
#undef TWIN_FIELD_MIN_MAX
