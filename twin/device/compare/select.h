// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/compare/compare.h"
#include "device/library/tmp.h"
#include "device/types/parameters.h"
#include "device/vec/shapes.h"

namespace twin::compare {

template <typename T>
void SelectTensor(const AscendC::LocalTensor<T>& dst, const Operand& bits,
                  const AscendC::LocalTensor<T>& src0, const AscendC::LocalTensor<T>& src1,
                  AscendC::SELMODE mode, const vec::Extent& extent,
                  const AscendC::BinaryRepeatParams& strides, Location where) {
    TWIN_REFUSE_DTYPE(Select, T, half, float);
    const Operand second = Of(src1);
    RunSelect(kDtypeOf<T>, Of(dst), Of(src0), Choice{mode, &bits, &second, nullptr}, extent,
              strides, where);
}

template <typename T>
void SelectScalar(const AscendC::LocalTensor<T>& dst, const Operand& bits,
                  const AscendC::LocalTensor<T>& src0, const T& src1, AscendC::SELMODE mode,
                  const vec::Extent& extent, const AscendC::BinaryRepeatParams& strides,
                  Location where) {
    TWIN_REFUSE_DTYPE(Select, T, half, float);
    RunSelect(kDtypeOf<T>, Of(dst), Of(src0), Choice{mode, &bits, nullptr, &src1}, extent, strides,
              where);
}

}  // namespace twin::compare

namespace AscendC {

/// Sets dst[i] to src0[i] if bit i of selMask is set, otherwise to src1[i]. In modes 0 and 2 src1
/// is a tensor, in mode 1 a scalar. isSetMask has no effect: the mask argument is always set, as in
/// the library.
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,
                   const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE selMode,
                   const ::twin::vec::Mask mask, const ::twin::Narrow8 repeatTime,
                   const BinaryRepeatParams& repeatParams, TWIN_HERE) {
    twin::compare::SelectTensor(dst, twin::Of(selMask), src0, src1, selMode,
                                twin::vec::Extent::Mask(mask, repeatTime, true), repeatParams,
                                here);
}

template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,
                   const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE selMode,
                   uint32_t count, TWIN_HERE) {
    twin::compare::SelectTensor(dst, twin::Of(selMask), src0, src1, selMode,
                                twin::vec::Extent::Elements(count), BinaryRepeatParams(), here);
}

template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,
                   const LocalTensor<T>& src0, T src1, SELMODE selMode,
                   const ::twin::vec::Mask mask, const ::twin::Narrow8 repeatTime,
                   const BinaryRepeatParams& repeatParams, TWIN_HERE) {
    twin::compare::SelectScalar(dst, twin::Of(selMask), src0, src1, selMode,
                                twin::vec::Extent::Mask(mask, repeatTime, true), repeatParams,
                                here);
}

template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,
                   const LocalTensor<T>& src0, T src1, SELMODE selMode, uint32_t count, TWIN_HERE) {
    twin::compare::SelectScalar(dst, twin::Of(selMask), src0, src1, selMode,
                                twin::vec::Extent::Elements(count), BinaryRepeatParams(), here);
}

/// Reads everything from the registers: call SetVectorMask and SetCmpMask before (modes 0 and 2).
template <typename T, SELMODE selMode>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, const ::twin::Narrow8 repeatTime,
                   const BinaryRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Select, T, half, float);
    static_assert(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE,
                  "Select: mode 1 without a mask takes selMask and src0");
    const twin::Operand second = twin::Of(src1);
    twin::compare::RunSelect(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src0),
                             twin::compare::Choice{selMode, nullptr, &second, nullptr},
                             twin::vec::Extent::Mask(MASK_PLACEHOLDER, repeatTime, false),
                             repeatParams, here);
}

/// Mode 1 with the scalar that SetCmpMask put into the register.
template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,
                   const LocalTensor<T>& src0, const ::twin::Narrow8 repeatTime,
                   const BinaryRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Select, T, half, float);
    const twin::Operand bits = twin::Of(selMask);
    twin::compare::RunSelect(
        twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src0),
        twin::compare::Choice{SELMODE::VSEL_TENSOR_SCALAR_MODE, &bits, nullptr, nullptr},
        twin::vec::Extent::Mask(MASK_PLACEHOLDER, repeatTime, false), repeatParams, here);
}

}  // namespace AscendC

namespace AscendC {

/// Rows of src and of mask; only the first srcLastAxis elements of a mask row count.
struct SelectWithBytesMaskShapeInfo {
    SelectWithBytesMaskShapeInfo() {}
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

}  // namespace AscendC

namespace twin::compare {

/// One call: the first source is selected where the mask is 0, otherwise the second. One of them is
/// a scalar.
struct ByteChoice {
    Dtype dtype;
    uint32_t maskSize;  ///< bytes of an element
    bool scalarFirst;
    bool reuseMask;
    Operand dst;
    Operand src;
    Operand mask;
    const void* scalar;
    AscendC::SelectWithBytesMaskShapeInfo shape;
};

TWIN_API void RunByteChoice(const ByteChoice& choice, const advanced::Tmp& tmp, Location where);

template <typename T, typename U>
constexpr void CheckByteChoice() {
    TWIN_REFUSE_DTYPE(SelectWithBytesMask, T, half, float);
    static_assert(kOneOf<U, bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>,
                  "SelectWithBytesMask: the mask is bool or an integer of 8, 16 or 32 bits");
}

}  // namespace twin::compare

namespace AscendC {

/// dst = mask == 0 ? src0 : src1. With isReuseMask and rows of different lengths, the mask's valid
/// elements are packed at its start.
template <typename T, typename U, bool isReuseMask = true>
inline void SelectWithBytesMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1,
                                const LocalTensor<U>& mask,
                                const LocalTensor<uint8_t>& sharedTmpBuffer,
                                const SelectWithBytesMaskShapeInfo& info, TWIN_HERE) {
    ::twin::compare::CheckByteChoice<T, U>();
    ::twin::compare::RunByteChoice(
        {::twin::kDtypeOf<T>, sizeof(U), false, isReuseMask, ::twin::Of(dst), ::twin::Of(src0),
         ::twin::Of(mask), &src1, info},
        sharedTmpBuffer, here);
}
template <typename T, typename U, bool isReuseMask = true>
inline void SelectWithBytesMask(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1,
                                const LocalTensor<U>& mask,
                                const LocalTensor<uint8_t>& sharedTmpBuffer,
                                const SelectWithBytesMaskShapeInfo& info, TWIN_HERE) {
    ::twin::compare::CheckByteChoice<T, U>();
    ::twin::compare::RunByteChoice(
        {::twin::kDtypeOf<T>, sizeof(U), true, isReuseMask, ::twin::Of(dst), ::twin::Of(src1),
         ::twin::Of(mask), &src0, info},
        sharedTmpBuffer, here);
}

/// The newer name of SelectWithBytesMask.
template <typename T, typename U, bool isReuseMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1,
                   const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,
                   const SelectWithBytesMaskShapeInfo& info, TWIN_HERE) {
    SelectWithBytesMask<T, U, isReuseMask>(dst, src0, src1, mask, sharedTmpBuffer, info, here);
}
template <typename T, typename U, bool isReuseMask = true>
inline void Select(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1,
                   const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,
                   const SelectWithBytesMaskShapeInfo& info, TWIN_HERE) {
    SelectWithBytesMask<T, U, isReuseMask>(dst, src0, src1, mask, sharedTmpBuffer, info, here);
}

}  // namespace AscendC
