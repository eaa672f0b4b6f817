// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_AXPY_H
#define TWIN_DEVICE_VEC_AXPY_H

#include "device/types/narrow.h"
#include "device/vec/fused.h"

namespace twin {

template <typename T, typename U>
constexpr bool kCanAxpy = (std::is_same<T, U>::value && kOneOf<T, half, float>) ||
                          (std::is_same<T, float>::value && std::is_same<U, half>::value);

}  // namespace twin

namespace AscendC {

#define TWIN_AXPY_TYPES(T, U)           \
    static_assert(twin::kCanAxpy<T, U>, \
                  "Axpy: takes half, float, or a half source with a float destination")

/// dst += src * scalar; product and sum are each rounded to dst's type. With a float destination
/// and a half source a repeat has 64 elements.
template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
                 uint64_t mask[], const ::twin::Narrow8 repeatTime,
                 const UnaryRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_AXPY_TYPES(T, U);
    twin::vec::RunAxpy(twin::kDtypeOf<T>, twin::kDtypeOf<U>, twin::Of(dst), twin::Of(src),
                       &scalarValue, twin::vec::Extent::Mask(mask, repeatTime, isSetMask),
                       repeatParams, here);
}

template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
                 uint64_t mask, const ::twin::Narrow8 repeatTime,
                 const UnaryRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_AXPY_TYPES(T, U);
    twin::vec::RunAxpy(twin::kDtypeOf<T>, twin::kDtypeOf<U>, twin::Of(dst), twin::Of(src),
                       &scalarValue, twin::vec::Extent::Mask(mask, repeatTime, isSetMask),
                       repeatParams, here);
}

template <typename T, typename U>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
                 const int32_t& calCount, TWIN_HERE) {
    TWIN_AXPY_TYPES(T, U);
    twin::vec::RunAxpy(twin::kDtypeOf<T>, twin::kDtypeOf<U>, twin::Of(dst), twin::Of(src),
                       &scalarValue, twin::vec::Extent::Elements(calCount), UnaryRepeatParams(),
                       here);
}

#undef TWIN_AXPY_TYPES

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_AXPY_H
