// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_MASK_H
#define TWIN_DEVICE_VEC_MASK_H

#include "core/core.h"
#include "device/types/enums.h"

namespace AscendC {

/// Counter mode: the mask register contains an element count.
inline void SetMaskCount(TWIN_HERE) {
    twin::Self().Begin(here);
    twin::Self().SetCounterMode(true);
}

/// Normal mode: the mask register contains one bit per element of a repeat.
inline void SetMaskNorm(TWIN_HERE) {
    twin::Self().Begin(here);
    twin::Self().SetCounterMode(false);
}

/// Note the order: the high half (elements 64..127) comes first.
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow, TWIN_HERE) {
    twin::Self().Begin(here);
    twin::Self().SetMask(maskLow, maskHigh);
}

/// Selects the first `len` elements of a repeat (normal mode), or of the whole instruction (counter
/// mode).
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t len, TWIN_HERE) {
    const auto count = static_cast<uint64_t>(len < 0 ? 0 : len);
    if (mode == MaskMode::COUNTER) {
        SetVectorMask<T, mode>(0, count, here);
        return;
    }
    const uint64_t low = count >= 64 ? UINT64_MAX : (uint64_t{1} << count) - 1;
    const uint64_t high =
        count >= 128 ? UINT64_MAX : (count > 64 ? (uint64_t{1} << (count - 64)) - 1 : 0);
    SetVectorMask<T, mode>(high, low, here);
}

inline void ResetMask(TWIN_HERE) {
    twin::Self().Begin(here);
    twin::Self().SetMask(UINT64_MAX, UINT64_MAX);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_MASK_H
