// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

// AscendC::Std::tuple is a class of its own, based on std::tuple: a card's compiler has the former
// and not the latter, so the check of what a card takes must see which of the two a kernel uses.

namespace AscendC {
namespace Std {

template <typename... Ts>
class tuple : public std::tuple<Ts...> {
    using Base = std::tuple<Ts...>;

public:
    constexpr tuple() = default;
    template <typename... Us,
              typename = std::enable_if_t<(sizeof...(Us) > 0) && sizeof...(Us) == sizeof...(Ts) &&
                                          !(std::is_same_v<std::decay_t<Us>, tuple> || ...)>,
              typename = std::enable_if_t<std::is_constructible_v<Base, Us&&...>>>
    constexpr tuple(Us&&... values) : Base(std::forward<Us>(values)...) {}

    template <typename... Us>
    constexpr tuple& operator=(const tuple<Us...>& other) {
        Base::operator=(static_cast<const std::tuple<Us...>&>(other));
        return *this;
    }
};
template <typename... Ts>
tuple(Ts...) -> tuple<Ts...>;

}  // namespace Std
}  // namespace AscendC

template <typename... Ts>
struct std::tuple_size<AscendC::Std::tuple<Ts...>> : std::tuple_size<std::tuple<Ts...>> {};
template <std::size_t I, typename... Ts>
struct std::tuple_element<I, AscendC::Std::tuple<Ts...>>
    : std::tuple_element<I, std::tuple<Ts...>> {};

namespace AscendC {
namespace Std {

using std::tuple_element, std::tuple_element_t, std::tuple_size, std::tuple_size_v;

template <typename... Ts>
constexpr tuple<std::decay_t<Ts>...> make_tuple(Ts&&... values) {
    return tuple<std::decay_t<Ts>...>(std::forward<Ts>(values)...);
}
template <typename... Ts>
constexpr tuple<Ts&...> tie(Ts&... values) {
    return tuple<Ts&...>(values...);
}
template <typename... Ts>
constexpr tuple<Ts&&...> forward_as_tuple(Ts&&... values) {
    return tuple<Ts&&...>(std::forward<Ts>(values)...);
}

template <std::size_t I, typename... Ts>
constexpr tuple_element_t<I, tuple<Ts...>>& get(tuple<Ts...>& values) {
    return std::get<I>(static_cast<std::tuple<Ts...>&>(values));
}
template <std::size_t I, typename... Ts>
constexpr const tuple_element_t<I, tuple<Ts...>>& get(const tuple<Ts...>& values) {
    return std::get<I>(static_cast<const std::tuple<Ts...>&>(values));
}
template <std::size_t I, typename... Ts>
constexpr tuple_element_t<I, tuple<Ts...>>&& get(tuple<Ts...>&& values) {
    return std::get<I>(static_cast<std::tuple<Ts...>&&>(values));
}

}  // namespace Std
}  // namespace AscendC
