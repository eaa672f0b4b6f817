// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/tensor/global_tensor.h"
#include "device/types/dtype.h"
#include "device/vec/duplicate.h"
#include "device/vec/mask.h"

namespace AscendC {

/// The toolkit's helper class, as far as public kernels use it.
class AscendCUtils {
public:
    static int32_t GetBitSize(int32_t byteSize) { return byteSize * 8; }
    static int32_t GetC0Size() { return 32; }
    static int32_t GetC0Count(const int32_t dtypeSize) { return GetC0Size() / dtypeSize; }
    static int32_t GetDefaultBlockNum() { return DEFAULT_BLK_NUM; }
    /// Returns the number of elements that the last GatherMask kept.
    static int64_t GetRsvdCnt(TWIN_HERE) {
        twin::Self().Begin(here);
        return static_cast<int64_t>(twin::Self().gatherKept);
    }

    template <typename T, bool isSetMask = true>
    static void SetMask(const uint64_t& maskHigh, const uint64_t& maskLow, TWIN_HERE) {
        if (isSetMask) {
            SetVectorMask<T>(maskHigh, maskLow, here);
        }
    }
    /// Selects the first `len` elements of a repeat.
    template <typename T, bool isSetMask = true>
    static void SetMask(int32_t len, TWIN_HERE) {
        if (isSetMask) {
            const auto whole = static_cast<int32_t>(256 * 8 / twin::kElementBits<T>);
            SetVectorMask<T>(len == whole && len != 64 ? 128 : len, here);
        }
    }
    template <typename T>
    static void SetMaskCount(TWIN_HERE) {
        AscendC::SetMaskCount(here);
    }
    template <typename T>
    static void SetMaskNorm(TWIN_HERE) {
        AscendC::SetMaskNorm(here);
    }
    template <bool isSetMask = true>
    static void ResetMask(TWIN_HERE) {
        if (isSetMask) {
            AscendC::ResetMask(here);
        }
    }
    /// Makes half and bfloat16 results keep infinities and NaN (`ctrlValue` 1) or saturate.
    static void SetOverflow(uint64_t ctrlValue, TWIN_HERE) {
        twin::vec::SetCtrlBit(twin::kCtrlInfNan, ctrlValue == 1, here);
    }
};

// Internal functions of the toolkit that kernels call with raw pointers and the current mask.

template <typename T>
inline void DuplicateIntrinsicsImpl(__ubuf__ T* dst, T scalarValue, const uint8_t repeatTimes,
                                    const uint16_t dstBlockStride, const uint8_t dstRepeatStride,
                                    TWIN_HERE) {
    Duplicate<T, false>(twin::LocalTensorAt(dst, "DuplicateIntrinsicsImpl", here), scalarValue,
                        static_cast<uint64_t>(MASK_PLACEHOLDER), repeatTimes, dstBlockStride,
                        dstRepeatStride, here);
}

}  // namespace AscendC
