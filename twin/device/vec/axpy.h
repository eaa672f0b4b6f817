// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_AXPY_H
#define TWIN_DEVICE_VEC_AXPY_H

#include "device/vec/shapes.h"

namespace AscendC {

/// dst += src * scalar, product and sum rounded each. The form that widens half into float is not
/// modelled yet.
template <typename T, typename U>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
                 const int32_t& calCount, TWIN_HERE) {
    static_assert(IsSameType<T, U>::value,
                  "Axpy: this twin models dst and src of one type (half or float)");
    TWIN_REFUSE_DTYPE(Axpy, T, half, float);
    ::twin::vec::RunScalar("Axpy", ::twin::lanes::ScalarOp::Axpy, ::twin::kDtypeOf<T>,
                           ::twin::Of(dst), ::twin::Of(src), &scalarValue,
                           ::twin::vec::Extent::Elements(calCount), UnaryRepeatParams(), here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_AXPY_H
