// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_COMPARE_CMP_MASK_H
#define TWIN_DEVICE_COMPARE_CMP_MASK_H

#include "device/compare/comparison.h"

namespace AscendC {

/// The 16 bytes of the CMPMASK register into dst, which starts on a multiple of 16 B.
template <typename T>
inline void GetCmpMask(const LocalTensor<T>& dst, TWIN_HERE) {
    twin::compare::GetRegister(twin::Of(dst), here);
}

/// 16 bytes of src into the CMPMASK register: mask bits (Select mode 0), the scalar repeated (mode
/// 1) or the address of the mask tensor (mode 2).
template <typename T>
inline void SetCmpMask(const LocalTensor<T>& src, TWIN_HERE) {
    twin::compare::SetRegister(twin::Of(src), here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_COMPARE_CMP_MASK_H
