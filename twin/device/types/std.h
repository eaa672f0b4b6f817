// SPDX-License-Identifier: Apache-2.0
#pragma once

// AscendC::Std is the part of the C++ library that the toolkit has on the device. Its names refer
// to the host compiler's library here.
#include <type_traits>
#include <utility>

#include "device/types/tuple.h"

namespace AscendC {
namespace Std {

using std::add_const, std::add_const_t, std::add_cv, std::add_cv_t, std::add_lvalue_reference,
    std::add_lvalue_reference_t, std::add_pointer, std::add_pointer_t, std::add_rvalue_reference,
    std::add_rvalue_reference_t, std::add_volatile, std::add_volatile_t, std::bool_constant,
    std::conditional, std::conditional_t, std::decay, std::decay_t, std::declval, std::enable_if,
    std::enable_if_t, std::false_type, std::forward, std::index_sequence, std::integer_sequence,
    std::integral_constant, std::is_array, std::is_array_v, std::is_base_of, std::is_base_of_v,
    std::is_class, std::is_class_v, std::is_const, std::is_const_v, std::is_convertible,
    std::is_convertible_v, std::is_floating_point, std::is_floating_point_v, std::is_function,
    std::is_integral, std::is_integral_v, std::is_pointer, std::is_pointer_v, std::is_reference,
    std::is_reference_v, std::is_same, std::is_same_v, std::is_union, std::is_void, std::is_void_v,
    std::make_index_sequence, std::make_integer_sequence, std::move, std::remove_const,
    std::remove_const_t, std::remove_cv, std::remove_cv_t, std::remove_extent, std::remove_extent_t,
    std::remove_pointer, std::remove_pointer_t, std::remove_reference, std::remove_reference_t,
    std::remove_volatile, std::remove_volatile_t, std::true_type;

template <typename T>
struct remove_cvref {
    using type = remove_cv_t<remove_reference_t<T>>;
};
template <typename T>
using remove_cvref_t = typename remove_cvref<T>::type;
template <typename...>
constexpr bool always_false_v = false;

template <typename T, typename... Types>
struct is_one_of : bool_constant<(is_same_v<T, Types> || ...)> {};
template <typename T, typename... Types>
constexpr bool is_one_of_v = is_one_of<T, Types...>::value;
template <typename T, T value, T... values>
struct is_one_of_value : bool_constant<((value == values) || ...)> {};
template <typename T, T value, T... values>
constexpr bool is_one_of_value_v = is_one_of_value<T, value, values...>::value;

template <typename T, typename U>
constexpr auto ceil_division(const T& num1, const U& num2) {
    return (num1 + num2 - 1) / num2;
}
template <typename T, typename U>
constexpr auto ceil_align(const T& num1, const U& num2) {
    return ceil_division(num1, num2) * num2;
}

/// Returns the smaller value. The arguments are passed by value and must have the same type.
template <typename T, typename U>
constexpr T min(const T src0, const U src1) {
    static_assert(is_same_v<T, U>, "Std::min compares values of one type");
    return src0 < src1 ? src0 : src1;
}
template <typename T, typename U>
constexpr T max(const T src0, const U src1) {
    static_assert(is_same_v<T, U>, "Std::max compares values of one type");
    return src0 > src1 ? src0 : src1;
}

}  // namespace Std
}  // namespace AscendC
