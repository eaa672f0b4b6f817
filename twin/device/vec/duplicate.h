// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/types/parameters.h"
#include "device/vec/elementwise.h"
#include "device/vec/shapes.h"

// Assignments such as dst = a + b (tensor/operators.h) run an instruction on all elements of dst.
namespace AscendC {

#define TWIN_TENSOR_ASSIGN(NAME, API)                                     \
    template <typename T>                                                 \
    inline void NAME<T>::Process(const LocalTensor<T>& dst) const {       \
        API(dst, src0, src1, static_cast<int32_t>(dst.GetSize()), where); \
    }
TWIN_TENSOR_ASSIGN(SymbolOverrideAdd, Add)
TWIN_TENSOR_ASSIGN(SymbolOverrideSub, Sub)
TWIN_TENSOR_ASSIGN(SymbolOverrideMul, Mul)
TWIN_TENSOR_ASSIGN(SymbolOverrideDiv, Div)
TWIN_TENSOR_ASSIGN(SymbolOverrideOr, Or)
TWIN_TENSOR_ASSIGN(SymbolOverrideAnd, And)
#undef TWIN_TENSOR_ASSIGN

#define TWIN_DUPLICATE_TYPES half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t

/// Sets dst[i] = scalarValue. Strides are in blocks of 32 B.
template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const ::twin::vec::Mask mask,
                      const ::twin::Narrow8 repeatTime, const uint16_t dstBlockStride,
                      const uint8_t dstRepeatStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Duplicate, T, TWIN_DUPLICATE_TYPES);
    twin::vec::RunDuplicate(twin::kDtypeOf<T>, dst, &scalarValue,
                            twin::vec::Extent::Mask(mask, repeatTime, isSetMask), dstBlockStride,
                            dstRepeatStride, here);
}

template <typename T>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& calCount,
                      TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Duplicate, T, TWIN_DUPLICATE_TYPES);
    twin::vec::RunDuplicate(twin::kDtypeOf<T>, dst, &scalarValue,
                            twin::vec::Extent::Elements(calCount), 1, 8, here);
}

#undef TWIN_DUPLICATE_TYPES

}  // namespace AscendC
