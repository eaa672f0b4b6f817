// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_COMPOUND_H
#define TWIN_DEVICE_VEC_COMPOUND_H

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

namespace twin::vec {

template <typename T, typename U>
inline void MulAddDst(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src0,
                      const AscendC::LocalTensor<U>& src1, const Extent& extent,
                      const AscendC::BinaryRepeatParams& strides, Location where) {
    constexpr bool kSame = std::is_same<T, U>::value && kOneOf<T, half, float>;
    constexpr bool kWidening = std::is_same<T, float>::value && std::is_same<U, half>::value;
    static_assert(kSame || kWidening,
                  "MulAddDst: takes half, float, or half sources with a float destination");
    if constexpr (kSame) {
        RunFused(Opcode::MulAddDst, lanes::FusedOp::MulAddDst, kDtypeOf<T>, Of(dst), Of(src0),
                 Of(src1), extent, strides, where);
    } else {
        RunMixed(Opcode::MulAddDst, lanes::MixedOp::MulAddDst, kDtypeOf<T>, kDtypeOf<U>, Of(dst),
                 Of(src0), Of(src1), extent, strides, where);
    }
}

}  // namespace twin::vec

namespace AscendC {

/// dst += src0 * src1; product and sum are each rounded to dst's type. With a float destination and
/// half sources a repeat has 64 elements.
template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                      const LocalTensor<U>& src1, const uint64_t mask[],
                      const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                      TWIN_HERE) {
    twin::vec::MulAddDst(dst, src0, src1, twin::vec::Extent::Mask(mask, repeatTime, isSetMask),
                         repeatParams, here);
}

template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                      const LocalTensor<U>& src1, uint64_t mask, const ::twin::Narrow8 repeatTime,
                      const BinaryRepeatParams& repeatParams, TWIN_HERE) {
    twin::vec::MulAddDst(dst, src0, src1, twin::vec::Extent::Mask(mask, repeatTime, isSetMask),
                         repeatParams, here);
}

template <typename T, typename U>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                      const LocalTensor<U>& src1, const int32_t& calCount, TWIN_HERE) {
    twin::vec::MulAddDst(dst, src0, src1, twin::vec::Extent::Elements(calCount),
                         BinaryRepeatParams(), here);
}

// dst = src0 * src1, converted: the product is rounded to half, then rounded to nearest even and
// saturated to 8 bits.
#define TWIN_PAIRS std::is_same<U, half>::value&& ::twin::kOneOf<T, int8_t, uint8_t>
TWIN_VEC_MIXED(MulCast, uint64_t mask[], (TWIN_PAIRS))
TWIN_VEC_MIXED(MulCast, uint64_t mask, (TWIN_PAIRS))
TWIN_VEC_MIXED_COUNT(MulCast, uint32_t, (TWIN_PAIRS))
#undef TWIN_PAIRS

// dst = max(src0 + src1, 0), or max(src0 - src1, 0), converted: the sum or difference is rounded
// (or wraps) in the sources' type, then rounded to nearest even and saturated to the destination's
// type.
#define TWIN_PAIRS                                                     \
    (std::is_same<T, half>::value && std::is_same<U, float>::value) || \
        (std::is_same<T, int8_t>::value && ::twin::kOneOf<U, half, int16_t>)
TWIN_VEC_MIXED(AddReluCast, uint64_t mask[], (TWIN_PAIRS))
TWIN_VEC_MIXED(AddReluCast, uint64_t mask, (TWIN_PAIRS))
TWIN_VEC_MIXED_COUNT(AddReluCast, const uint32_t, (TWIN_PAIRS))
TWIN_VEC_MIXED(SubReluCast, uint64_t mask[], (TWIN_PAIRS))
TWIN_VEC_MIXED(SubReluCast, uint64_t mask, (TWIN_PAIRS))
TWIN_VEC_MIXED_COUNT(SubReluCast, const uint32_t, (TWIN_PAIRS))
#undef TWIN_PAIRS

/// dst = max(half((src0 + src1) * scale), 0) with the scale of SetDeqScale(half). It uses both
/// sources and the 8 KiB after TMP_UB_OFFSET as scratch, so their contents are lost.
template <typename T, typename U, bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                       const LocalTensor<U>& src1, uint64_t mask[],
                       const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                       TWIN_HERE) {
    TWIN_REFUSE_DTYPE(AddDeqRelu, T, half);
    TWIN_REFUSE_DTYPE(AddDeqRelu, U, int32_t);
    twin::vec::RunAddDeqRelu(twin::Of(dst), twin::Of(src0), twin::Of(src1),
                             twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams,
                             here);
}

template <typename T, typename U, bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                       const LocalTensor<U>& src1, uint64_t mask, const ::twin::Narrow8 repeatTime,
                       const BinaryRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(AddDeqRelu, T, half);
    TWIN_REFUSE_DTYPE(AddDeqRelu, U, int32_t);
    twin::vec::RunAddDeqRelu(twin::Of(dst), twin::Of(src0), twin::Of(src1),
                             twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams,
                             here);
}

template <typename T, typename U>
inline void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                       const LocalTensor<U>& src1, const int32_t& calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(AddDeqRelu, T, half);
    TWIN_REFUSE_DTYPE(AddDeqRelu, U, int32_t);
    twin::vec::RunAddDeqRelu(twin::Of(dst), twin::Of(src0), twin::Of(src1),
                             twin::vec::Extent::Elements(calCount), BinaryRepeatParams(), here);
}

template <bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                       const LocalTensor<int32_t>& src1, uint64_t mask[],
                       const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                       TWIN_HERE) {
    AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, here);
}

template <bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                       const LocalTensor<int32_t>& src1, uint64_t mask,
                       const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                       TWIN_HERE) {
    AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, here);
}

inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                       const LocalTensor<int32_t>& src1, const int32_t& calCount, TWIN_HERE) {
    AddDeqRelu<half, int32_t>(dst, src0, src1, calCount, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_COMPOUND_H
