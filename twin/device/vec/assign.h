// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_ASSIGN_H
#define TWIN_DEVICE_VEC_ASSIGN_H

#include "device/vec/elementwise.h"

// dst = a + b and similar assignments (tensor/operators.h): the count form over all of dst.
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

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_ASSIGN_H
