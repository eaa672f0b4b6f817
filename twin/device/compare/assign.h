// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_COMPARE_ASSIGN_H
#define TWIN_DEVICE_COMPARE_ASSIGN_H

#include "device/compare/compare.h"

// dst = a < b and similar assignments (tensor/operators.h), over all of a.
namespace AscendC {

template <typename T>
template <typename U>
inline void SymbolOverrideCompare<T>::Process(const LocalTensor<U>& dst) const {
    Compare(dst, src0, src1, mode, src0.GetSize(), where);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_COMPARE_ASSIGN_H
