// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/core.h"
#include "device/types/half.h"

namespace twin {

/// An argument of a kernel's printf, with its type, so that a wrong format can be reported.
struct PrintValue {
    enum class Kind : uint8_t { Signed, Unsigned, Real, Text, Pointer };

    Kind kind;
    const char* type;  ///< name of the C++ type, for messages
    uint64_t bits;     ///< integer, address, or the bits of the double `real`
    double real;
};

template <typename T>
constexpr const char* PrintTypeName() {
    if constexpr (std::is_same<T, bool>::value) {
        return "bool";
    } else if constexpr (std::is_same<T, float>::value) {
        return "float";
    } else if constexpr (std::is_floating_point<T>::value) {
        return "double";
    } else if constexpr (std::is_signed<T>::value) {
        constexpr const char* kNames[] = {"int8_t", "int16_t", "int32_t", "int64_t"};
        return kNames[sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3];
    } else {
        constexpr const char* kNames[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t"};
        return kNames[sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3];
    }
}

/// Describes an argument. Extends integers, enumerations and variables such as block_num to 64
/// bits, as the toolkit does. So a conversion such as %ld may be wider than its argument.
template <typename T>
inline PrintValue PrintArgument(T value) {
    using Kind = PrintValue::Kind;
    if constexpr (std::is_same<T, half>::value || std::is_same<T, bfloat16_t>::value) {
        const char* const name = std::is_same<T, half>::value ? "half" : "bfloat16_t";
        return {Kind::Real, name, 0, static_cast<double>(static_cast<float>(value))};
    } else if constexpr (std::is_class<T>::value) {
        return PrintArgument(+value);
    } else if constexpr (std::is_enum<T>::value) {
        return PrintArgument(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_floating_point<T>::value) {
        return {Kind::Real, PrintTypeName<T>(), 0, static_cast<double>(value)};
    } else if constexpr (std::is_integral<T>::value) {
        const Kind kind = std::is_signed<T>::value ? Kind::Signed : Kind::Unsigned;
        return {kind, PrintTypeName<T>(), static_cast<uint64_t>(static_cast<int64_t>(value)), 0};
    } else if constexpr (std::is_null_pointer<T>::value) {
        return {Kind::Pointer, "pointer", 0, 0};
    } else {
        using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
        const bool text = std::is_same<Pointee, char>::value;
        return {text ? Kind::Text : Kind::Pointer, text ? "text" : "pointer",
                reinterpret_cast<uintptr_t>(value), 0};
    }
}

/// The arguments of one call.
struct PrintValues {
    const PrintValue* values;
    uint32_t count;
};

/// Prints like printf, for kernels. The output of a launch is grouped by core. If the type of an
/// argument does not fit its conversion, prints a text that names both.
TWIN_API void PrintFormatted(const char* format, PrintValues values);

template <typename... Args>
inline void Print(const char* format, Args... args) {
    const PrintValue values[] = {PrintArgument(args)..., {}};
    PrintFormatted(format, {values, sizeof...(args)});
}

}  // namespace twin
