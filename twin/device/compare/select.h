// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/compare/compare.h"
#include "device/types/parameters.h"

namespace twin::compare {

template <typename T, typename Source>
void Select(const AscendC::LocalTensor<T>& dst, const Operand& bits,
            const AscendC::LocalTensor<T>& src0, const Source& src1, AscendC::SELMODE mode,
            const vec::Extent& extent, const AscendC::BinaryRepeatParams& strides, Location where) {
    TWIN_REFUSE_DTYPE(Select, T, half, float);
    if constexpr (std::is_same<Source, T>::value) {
        RunSelect(kDtypeOf<T>, dst, src0, {mode, &bits, nullptr, &src1}, extent, strides, where);
    } else {
        const Operand second = src1;
        RunSelect(kDtypeOf<T>, dst, src0, {mode, &bits, &second, nullptr}, extent, strides, where);
    }
}

}  // namespace twin::compare

namespace AscendC {

#define TWIN_SELECT(SOURCE)                                                                      \
    template <typename T, typename U, bool isSetMask = true>                                     \
    inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,                 \
                       const LocalTensor<T>& src0, SOURCE src1, SELMODE selMode,                 \
                       const ::twin::vec::Mask mask, const ::twin::Narrow8 repeatTime,           \
                       const BinaryRepeatParams& repeatParams, TWIN_HERE) {                      \
        twin::compare::Select(dst, selMask, src0, src1, selMode,                                 \
                              twin::vec::Extent::Mask(mask, repeatTime, true), repeatParams,     \
                              here);                                                             \
    }                                                                                            \
    template <typename T, typename U>                                                            \
    inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,                 \
                       const LocalTensor<T>& src0, SOURCE src1, SELMODE selMode, uint32_t count, \
                       TWIN_HERE) {                                                              \
        twin::compare::Select(dst, selMask, src0, src1, selMode,                                 \
                              twin::vec::Extent::Elements(count), BinaryRepeatParams(), here);   \
    }
/// Sets dst[i] to src0[i] if bit i of selMask is set, otherwise to src1[i]. In modes 0 and 2 src1
/// is a tensor, in mode 1 a scalar. isSetMask has no effect: like the library, the call always sets
/// the mask register.
TWIN_SELECT(const LocalTensor<T>&)
TWIN_SELECT(T)

/// Selects in mode 0 or 2 with the registers that SetVectorMask and SetCmpMask have set before.
template <typename T, SELMODE selMode>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, const ::twin::Narrow8 repeatTime,
                   const BinaryRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Select, T, half, float);
    static_assert(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE,
                  "Select: mode 1 without a mask takes selMask and src0");
    const twin::Operand second = src1;
    twin::compare::RunSelect(
        twin::kDtypeOf<T>, dst, src0, twin::compare::Choice{selMode, nullptr, &second, nullptr},
        twin::vec::Extent::Mask(MASK_PLACEHOLDER, repeatTime, false), repeatParams, here);
}

/// Selects in mode 1, with the scalar that SetCmpMask has put into the CMPMASK register.
template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,
                   const LocalTensor<T>& src0, const ::twin::Narrow8 repeatTime,
                   const BinaryRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Select, T, half, float);
    const twin::Operand bits = selMask;
    twin::compare::RunSelect(
        twin::kDtypeOf<T>, dst, src0,
        twin::compare::Choice{SELMODE::VSEL_TENSOR_SCALAR_MODE, &bits, nullptr, nullptr},
        twin::vec::Extent::Mask(MASK_PLACEHOLDER, repeatTime, false), repeatParams, here);
}

}  // namespace AscendC
