// SPDX-License-Identifier: Apache-2.0
#pragma once

// AscendC::Std is the part of the C++ library that the toolkit has on the device. Its names refer
// to the host compiler's library here.
#include <tuple>
#include <type_traits>
#include <utility>

namespace AscendC {
namespace Std {

using std::add_const, std::add_const_t, std::add_cv, std::add_cv_t, std::add_lvalue_reference,
    std::add_lvalue_reference_t, std::add_pointer, std::add_pointer_t, std::add_rvalue_reference,
    std::add_rvalue_reference_t, std::add_volatile, std::add_volatile_t, std::bool_constant,
    std::conditional, std::conditional_t, std::decay, std::decay_t, std::declval, std::enable_if,
    std::enable_if_t, std::false_type, std::forward, std::get, std::index_sequence,
    std::integer_sequence, std::integral_constant, std::is_array, std::is_array_v, std::is_base_of,
    std::is_base_of_v, std::is_class, std::is_class_v, std::is_const, std::is_const_v,
    std::is_convertible, std::is_convertible_v, std::is_floating_point, std::is_floating_point_v,
    std::is_function, std::is_integral, std::is_integral_v, std::is_pointer, std::is_pointer_v,
    std::is_reference, std::is_reference_v, std::is_same, std::is_same_v, std::is_union,
    std::is_void, std::is_void_v, std::make_index_sequence, std::make_integer_sequence,
    std::make_tuple, std::move, std::remove_const, std::remove_const_t, std::remove_cv,
    std::remove_cv_t, std::remove_extent, std::remove_extent_t, std::remove_pointer,
    std::remove_pointer_t, std::remove_reference, std::remove_reference_t, std::remove_volatile,
    std::remove_volatile_t, std::tie, std::true_type, std::tuple, std::tuple_element,
    std::tuple_element_t, std::tuple_size, std::tuple_size_v;

template <typename T>
struct remove_cvref {
    using type = remove_cv_t<remove_reference_t<T>>;
};
template <typename T>
using remove_cvref_t = typename remove_cvref<T>::type;
template <typename...>
constexpr bool always_false_v = false;

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
