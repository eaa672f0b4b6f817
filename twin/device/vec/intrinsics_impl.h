// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/tensor/global_tensor.h"
#include "device/vec/duplicate.h"

namespace AscendC {

// Inner functions of the toolkit that public kernels call, with raw pointers and the current mask.

template <typename T>
inline void DuplicateIntrinsicsImpl(__ubuf__ T* dst, T scalarValue, const uint8_t repeatTimes,
                                    const uint16_t dstBlockStride, const uint8_t dstRepeatStride,
                                    TWIN_HERE) {
    Duplicate<T, false>(twin::LocalTensorAt(dst, "DuplicateIntrinsicsImpl", here), scalarValue,
                        static_cast<uint64_t>(MASK_PLACEHOLDER), repeatTimes, dstBlockStride,
                        dstRepeatStride, here);
}

}  // namespace AscendC
