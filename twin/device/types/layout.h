// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shapes, strides and coordinates of matrices, and the Layout that maps a coordinate to an index
// (newer than CANN 8.1).
#include <cstddef>
#include <cstdint>

#include "device/types/std.h"

namespace AscendC {
namespace Std {

/// An integer that is known at compile time.
template <size_t v>
using Int = integral_constant<size_t, v>;

template <typename T>
struct is_tuple : false_type {};
template <typename... Ts>
struct is_tuple<tuple<Ts...>> : true_type {};
template <typename T>
constexpr bool is_tuple_v = is_tuple<T>::value;

}  // namespace Std

template <typename... Ts>
using Shape = Std::tuple<Ts...>;
template <typename... Ts>
using Stride = Std::tuple<Ts...>;
template <typename... Ts>
using Coord = Std::tuple<Ts...>;

template <typename... Ts>
constexpr Shape<Ts...> MakeShape(const Ts&... t) {
    return Shape<Ts...>(t...);
}
template <typename... Ts>
constexpr Stride<Ts...> MakeStride(const Ts&... t) {
    return Stride<Ts...>(t...);
}
template <typename... Ts>
constexpr Coord<Ts...> MakeCoord(const Ts&... t) {
    return Coord<Ts...>(t...);
}

template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType& coord, const ShapeType& shape, const StrideType& stride);

}  // namespace AscendC

namespace twin {

template <typename Tuple>
using IndicesOf = std::make_index_sequence<std::tuple_size_v<std::decay_t<Tuple>>>;

/// Returns the number of elements of a shape, which may contain shapes.
template <typename T>
constexpr size_t SizeOfShape(const T& shape) {
    if constexpr (AscendC::Std::is_tuple_v<T>) {
        return std::apply([](const auto&... part) { return (size_t{1} * ... * SizeOfShape(part)); },
                          shape);
    } else {
        return static_cast<size_t>(shape);
    }
}

template <typename Coord, typename Shape, typename Stride, size_t... I>
constexpr auto IndexOfEach(const Coord& coord, const Shape& shape, const Stride& stride,
                           std::index_sequence<I...>) {
    return (... + AscendC::Crd2Idx(std::get<I>(coord), std::get<I>(shape), std::get<I>(stride)));
}

/// Splits the number `coord` along the axes of `shape`, of which the first changes fastest.
template <typename Coord, typename Shape, typename Stride, size_t First, size_t... Rest>
constexpr auto IndexOfNumber(const Coord& coord, const Shape& shape, const Stride& stride,
                             std::index_sequence<First, Rest...>) {
    const auto& inner = std::get<First>(shape);
    if constexpr (sizeof...(Rest) == 0) {
        return AscendC::Crd2Idx(coord, inner, std::get<First>(stride));
    } else {
        const size_t size = SizeOfShape(inner);
        return AscendC::Crd2Idx(coord % size, inner, std::get<First>(stride)) +
               IndexOfNumber(coord / size, shape, stride, std::index_sequence<Rest...>());
    }
}

}  // namespace twin

namespace AscendC {

/// Shape and stride of a tensor. `layout(coord)` is the index of an element.
template <typename ShapeType, typename StrideType>
struct Layout : private Std::tuple<ShapeType, StrideType> {
    static_assert(Std::is_tuple_v<ShapeType> && Std::is_tuple_v<StrideType>,
                  "Layout: shape and stride are Std::tuple");

    constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {})
        : Std::tuple<ShapeType, StrideType>(shape, stride) {}

    constexpr decltype(auto) layout() const { return *this; }
    /// Returns the shape; with template arguments, only the axes with these numbers.
    template <size_t... I>
    constexpr decltype(auto) GetShape() const {
        return Part<I...>(std::get<0>(Both()));
    }
    template <size_t... I>
    constexpr decltype(auto) GetStride() const {
        return Part<I...>(std::get<1>(Both()));
    }
    template <typename CoordType>
    constexpr auto operator()(const CoordType& coord) const {
        return Crd2Idx(coord, GetShape(), GetStride());
    }

private:
    constexpr const Std::tuple<ShapeType, StrideType>& Both() const { return *this; }
    template <size_t... I, typename Tuple>
    static constexpr decltype(auto) Part(const Tuple& tuple) {
        if constexpr (sizeof...(I) == 0) {
            return (tuple);
        } else {
            return Std::make_tuple(std::get<I>(tuple)...);
        }
    }
};

template <typename ShapeType, typename StrideType>
constexpr auto MakeLayout(const ShapeType& shape, const StrideType& stride) {
    return Layout<ShapeType, StrideType>(shape, stride);
}

template <typename T>
struct is_layout : Std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : Std::true_type {};
template <typename T>
constexpr bool is_layout_v = is_layout<T>::value;

/// Returns the index of the element at `coord`. A number for an axis that is a tuple is split along
/// the axes of this tuple.
template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType& coord, const ShapeType& shape, const StrideType& stride) {
    if constexpr (Std::is_tuple_v<CoordType>) {
        static_assert(std::tuple_size_v<CoordType> == std::tuple_size_v<ShapeType> &&
                          std::tuple_size_v<CoordType> == std::tuple_size_v<StrideType>,
                      "Crd2Idx: coordinate, shape and stride have the same number of axes");
        return ::twin::IndexOfEach(coord, shape, stride, ::twin::IndicesOf<CoordType>());
    } else if constexpr (Std::is_tuple_v<ShapeType>) {
        static_assert(std::tuple_size_v<ShapeType> == std::tuple_size_v<StrideType>,
                      "Crd2Idx: shape and stride have the same number of axes");
        return ::twin::IndexOfNumber(coord, shape, stride, ::twin::IndicesOf<ShapeType>());
    } else {
        return coord * stride;
    }
}
template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType& coord, const Layout<ShapeType, StrideType>& layout) {
    return Crd2Idx(coord, layout.GetShape(), layout.GetStride());
}

}  // namespace AscendC
