// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_COMPARE_COMPARE_SCALAR_H
#define TWIN_DEVICE_COMPARE_COMPARE_SCALAR_H

#include "device/compare/comparison.h"
#include "device/types/narrow.h"

namespace AscendC {

/// Sets bit i of dst to src0[i] op scalar; otherwise the same as Compare. The newer name is
/// Compares.
#define TWIN_COMPARE_SCALAR(API)                                                                  \
    template <typename T, typename U, bool isSetMask = true>                                      \
    inline void API(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,    \
                    CMPMODE cmpMode, const uint64_t mask[], const ::twin::Narrow8 repeatTime,     \
                    const UnaryRepeatParams& repeatParams, TWIN_HERE) {                           \
        TWIN_REFUSE_DTYPE(API, T, half, float, int32_t);                                          \
        (void)mask;                                                                               \
        ::twin::compare::RunScalar(                                                               \
            #API, ::twin::kDtypeOf<T>, ::twin::Of(dst), ::twin::Of(src0), &src1Scalar, cmpMode,   \
            ::twin::compare::Shape::Strided(repeatTime, repeatParams), here);                     \
    }                                                                                             \
    template <typename T, typename U, bool isSetMask = true>                                      \
    inline void API(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,    \
                    CMPMODE cmpMode, const uint64_t mask, const ::twin::Narrow8 repeatTime,       \
                    const UnaryRepeatParams& repeatParams, TWIN_HERE) {                           \
        TWIN_REFUSE_DTYPE(API, T, half, float, int32_t);                                          \
        (void)mask;                                                                               \
        ::twin::compare::RunScalar(                                                               \
            #API, ::twin::kDtypeOf<T>, ::twin::Of(dst), ::twin::Of(src0), &src1Scalar, cmpMode,   \
            ::twin::compare::Shape::Strided(repeatTime, repeatParams), here);                     \
    }                                                                                             \
    template <typename T, typename U>                                                             \
    inline void API(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,    \
                    CMPMODE cmpMode, uint32_t count, TWIN_HERE) {                                 \
        TWIN_REFUSE_DTYPE(API, T, half, float, int32_t);                                          \
        ::twin::compare::RunScalar(#API, ::twin::kDtypeOf<T>, ::twin::Of(dst), ::twin::Of(src0),  \
                                   &src1Scalar, cmpMode, ::twin::compare::Shape::Elements(count), \
                                   here);                                                         \
    }

TWIN_COMPARE_SCALAR(CompareScalar)
TWIN_COMPARE_SCALAR(Compares)
#undef TWIN_COMPARE_SCALAR

}  // namespace AscendC

#endif  // TWIN_DEVICE_COMPARE_COMPARE_SCALAR_H
