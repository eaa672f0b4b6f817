// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/compare/comparison.h"
#include "device/types/integer_helpers.h"

namespace AscendC {

/// Sets bit i of dst to src0[i] op src1[i], lowest bit first; repeats are packed without gaps.
/// Masks and dst strides have no effect on this chip.
template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t mask[],
                    const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                    TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Compare, T, half, float, int32_t);
    (void)mask;
    twin::compare::RunTensor(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src0), twin::Of(src1),
                             cmpMode, twin::compare::Shape::Strided(repeatTime, repeatParams),
                             here);
}

template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t mask,
                    const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                    TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Compare, T, half, float, int32_t);
    (void)mask;
    twin::compare::RunTensor(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src0), twin::Of(src1),
                             cmpMode, twin::compare::Shape::Strided(repeatTime, repeatParams),
                             here);
}

/// Only whole repeats are compared: the rest of `count` after the last 256 B is not.
template <typename T, typename U>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1, CMPMODE cmpMode, uint32_t count, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Compare, T, half, float, int32_t);
    twin::compare::RunTensor(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src0), twin::Of(src1),
                             cmpMode, twin::compare::Shape::Elements(count), here);
}

/// Compares one repeat into the CMPMASK register; bits of elements outside the mask become 0.
template <typename T, bool isSetMask = true>
inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                    const uint64_t mask[], const BinaryRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Compare into the register, T, half, float);
    twin::compare::RunRegister(twin::kDtypeOf<T>, twin::Of(src0), twin::Of(src1), cmpMode,
                               twin::vec::Extent::Mask(mask, 1, isSetMask), repeatParams, here);
}

template <typename T, bool isSetMask = true>
inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                    const uint64_t mask, const BinaryRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Compare into the register, T, half, float);
    twin::compare::RunRegister(twin::kDtypeOf<T>, twin::Of(src0), twin::Of(src1), cmpMode,
                               twin::vec::Extent::Mask(mask, 1, isSetMask), repeatParams, here);
}

/// Sets bit i of dst to src0[i] op scalar; otherwise the same as Compare. The newer name is
/// Compares.
#define TWIN_COMPARE_SCALAR(API)                                                               \
    template <typename T, typename U, bool isSetMask = true>                                   \
    inline void API(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, \
                    CMPMODE cmpMode, const uint64_t mask[], const ::twin::Narrow8 repeatTime,  \
                    const UnaryRepeatParams& repeatParams, TWIN_HERE) {                        \
        TWIN_REFUSE_DTYPE(API, T, half, float, int32_t);                                       \
        (void)mask;                                                                            \
        ::twin::compare::RunScalar(::twin::Opcode::API, ::twin::kDtypeOf<T>, ::twin::Of(dst),  \
                                   ::twin::Of(src0), &src1Scalar, cmpMode,                     \
                                   ::twin::compare::Shape::Strided(repeatTime, repeatParams),  \
                                   here);                                                      \
    }                                                                                          \
    template <typename T, typename U, bool isSetMask = true>                                   \
    inline void API(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, \
                    CMPMODE cmpMode, const uint64_t mask, const ::twin::Narrow8 repeatTime,    \
                    const UnaryRepeatParams& repeatParams, TWIN_HERE) {                        \
        TWIN_REFUSE_DTYPE(API, T, half, float, int32_t);                                       \
        (void)mask;                                                                            \
        ::twin::compare::RunScalar(::twin::Opcode::API, ::twin::kDtypeOf<T>, ::twin::Of(dst),  \
                                   ::twin::Of(src0), &src1Scalar, cmpMode,                     \
                                   ::twin::compare::Shape::Strided(repeatTime, repeatParams),  \
                                   here);                                                      \
    }                                                                                          \
    template <typename T, typename U>                                                          \
    inline void API(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, \
                    CMPMODE cmpMode, uint32_t count, TWIN_HERE) {                              \
        TWIN_REFUSE_DTYPE(API, T, half, float, int32_t);                                       \
        ::twin::compare::RunScalar(::twin::Opcode::API, ::twin::kDtypeOf<T>, ::twin::Of(dst),  \
                                   ::twin::Of(src0), &src1Scalar, cmpMode,                     \
                                   ::twin::compare::Shape::Elements(count), here);             \
    }

TWIN_COMPARE_SCALAR(CompareScalar)
TWIN_COMPARE_SCALAR(Compares)
#undef TWIN_COMPARE_SCALAR

}  // namespace AscendC

// dst = a < b and similar assignments (tensor/operators.h), over all of a.
namespace AscendC {

template <typename T>
template <typename U>
inline void SymbolOverrideCompare<T>::Process(const LocalTensor<U>& dst) const {
    Compare(dst, src0, src1, mode, src0.GetSize(), where);
}

}  // namespace AscendC
