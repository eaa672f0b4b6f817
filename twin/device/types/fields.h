// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/types.h"

// Checks of values that a kernel stores in the fields of parameter structures. A field of 16 bits
// silently keeps the low 16 bits of a larger value, as on the chip. compile/field_checks.py adds
// the checks to a copy of the kernel's source:
//     DataCopyParams params(1, n, 0, 0);          becomes
//     DataCopyParams params(TwinParens(), 1, n, 0, 0);
// The fields stay plain integers, so that everything else that kernels do with them compiles.

namespace twin {

/// Reports that `value` does not fit into a field of type [u]int<bits>_t (T402). Returns in
/// hardware mode and outside a kernel.
TWIN_API void FieldOverflow(const char* field, int64_t value, uint32_t bits, bool isSigned,
                            Location where);

template <typename T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// True for types of fields that are checked.
template <typename T>
inline constexpr bool kIsChecked =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= sizeof(uint32_t);

template <typename T, typename V>
constexpr bool Fits(V value) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_enum_v<V>) {
        return Fits<T>(static_cast<std::underlying_type_t<V>>(value));
    } else if constexpr (std::is_floating_point_v<V>) {  // the conversion drops the fraction
        return value > static_cast<V>(Limits::min()) - 1 &&
               value < static_cast<V>(uint64_t(Limits::max()) + 1);
    } else if constexpr (std::is_signed_v<V>) {
        return static_cast<int64_t>(value) >= static_cast<int64_t>(Limits::min()) &&
               static_cast<int64_t>(value) <= static_cast<int64_t>(Limits::max());
    } else {
        return static_cast<uint64_t>(value) <= static_cast<uint64_t>(Limits::max());
    }
}

/// Returns `value` as a field of type T stores it.
template <typename T, typename V>
constexpr T Stored(const char* field, V value, Location where) {
    if (!Fits<T>(value)) {
        FieldOverflow(field, static_cast<int64_t>(value), sizeof(T) * 8, std::is_signed_v<T>,
                      where);
    }
    return static_cast<T>(value);
}

/// The result of a cast to the type T, with the value before the cast. Expressions other than a
/// whole value of a field use the result only: code such as `(uint8_t)n >> 2` cuts on purpose.
template <typename T, typename V>
struct TwinCut {
    using Type = T;
    V value;
    constexpr operator T() const { return static_cast<T>(value); }
};

template <typename V>
struct IsCut : std::false_type {};
template <typename T, typename V>
struct IsCut<TwinCut<T, V>> : std::true_type {};

/// Replaces static_cast<T>, (T) and T(...) where the result is stored in a field.
template <typename T>
struct TwinCast {
    template <typename V>
    constexpr auto operator()(V value) const {
        if constexpr (kIsNumber<V>) {
            return TwinCut<T, V>{value};
        } else {
            return static_cast<T>(value);
        }
    }
    template <typename V>
    constexpr auto operator->*(V value) const {
        return (*this)(value);
    }
};

constexpr bool Contains(const char* text, const char* part) {
    for (; *text != '\0'; ++text) {
        uint32_t at = 0;
        while (part[at] != '\0' && text[at] == part[at]) {
            ++at;
        }
        if (part[at] == '\0') {
            return true;
        }
    }
    return false;
}

/// Returns false for fields whose values are data, such as paddingValue; data may wrap.
constexpr bool IsCount(const char* field) {
    return !Contains(field, "paddingValue") && !Contains(field, "padValue") &&
           !Contains(field, "initValue");
}

/// Returns whether a field is a distance between blocks or rows. The chip does not use it if there
/// is only one block or row. So a kernel may cast it to a type that does not hold the value.
constexpr bool IsStride(const char* field) {
    return Contains(field, "Stride") || Contains(field, "Gap") || Contains(field, "srcDValue");
}

/// True for parameter structures; false for a structure of the kernel that is derived from one.
template <typename T, typename = void>
struct IsParameters : std::false_type {};
template <typename T>
struct IsParameters<T, std::void_t<typename T::TwinParameters>>
    : std::is_same<T, typename T::TwinParameters> {};

/// Whether the chip uses a stride of a parameter structure.
enum class StrideUse : uint8_t { Unknown, Used, Unused };

/// Marks a constructor's arguments in parentheses, where the compiler does not warn of narrowing.
struct TwinParens {
    explicit constexpr TwinParens() = default;
};

/// An argument of a constructor for a field of type T.
template <typename T>
class TwinFit {
public:
    template <typename V>
    constexpr TwinFit(V value, TWIN_HERE) : where_(here) {
        if constexpr (IsCut<V>::value) {
            Take(value.value);
            isCast_ = true;
        } else if constexpr (kIsNumber<V>) {
            Take(value);
        } else {
            value_ = value;
        }
    }
    constexpr T For(const char* field, StrideUse use = StrideUse::Unknown) const {
        const bool unused = use == StrideUse::Unused || (use == StrideUse::Unknown && isCast_);
        if (!fits_ && IsCount(field) && !(IsStride(field) && unused)) {
            FieldOverflow(field, given_, sizeof(T) * 8, std::is_signed_v<T>, where_);
        }
        return value_;
    }

private:
    template <typename V>
    constexpr void Take(V value) {
        value_ = static_cast<T>(value);
        given_ = static_cast<int64_t>(value);
        fits_ = Fits<T>(value);
    }

    Location where_;
    int64_t given_ = 0;
    T value_ = 0;
    bool isCast_ = false;
    bool fits_ = true;
};

/// The type of the argument for a member of type T.
template <typename T>
struct FitOf {
    using Type = std::conditional_t<kIsChecked<T>, TwinFit<T>, T>;
};

template <typename T>
constexpr const T& ValueFor(const char*, StrideUse, const T& argument) {
    // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): it is a parameter of the caller
    return argument;
}
template <typename T>
constexpr T ValueFor(const char* field, StrideUse use, const TwinFit<T>& argument) {
    return argument.For(field, use);
}

}  // namespace twin
