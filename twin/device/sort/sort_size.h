// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SORT_SORT_SIZE_H
#define TWIN_DEVICE_SORT_SORT_SIZE_H

#include "device/sort/lists.h"
#include "device/vec/shapes.h"

namespace AscendC {

/// Number of elements of T in the pairs of `elemOffset` scores.
template <typename T>
inline uint32_t GetSortOffset(const uint32_t elemOffset) {
    TWIN_REFUSE_DTYPE(GetSortOffset, T, half, float);
    return elemOffset * static_cast<uint32_t>(::twin::sort::kPairBytes / sizeof(T));
}

template <typename T>
inline uint32_t GetSortLen(const uint32_t elemCount) {
    TWIN_REFUSE_DTYPE(GetSortLen, T, half, float);
    return elemCount * static_cast<uint32_t>(::twin::sort::kPairBytes / sizeof(T));
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SORT_SORT_SIZE_H
