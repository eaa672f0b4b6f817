// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_COMPARE_CMP_MASK_H
#define TWIN_DEVICE_COMPARE_CMP_MASK_H

#include "device/compare/comparison.h"

namespace AscendC {

/// Copies the 16 bytes of the CMPMASK register to dst, which starts at a multiple of 16 B.
template <typename T>
inline void GetCmpMask(const LocalTensor<T>& dst, TWIN_HERE) {
    twin::compare::GetRegister(twin::Of(dst), here);
}

/// Copies 16 bytes of src to the CMPMASK register: mask bits (Select mode 0), the scalar repeated
/// (mode 1) or the address of the mask tensor (mode 2).
template <typename T>
inline void SetCmpMask(const LocalTensor<T>& src, TWIN_HERE) {
    twin::compare::SetRegister(twin::Of(src), here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_COMPARE_CMP_MASK_H
