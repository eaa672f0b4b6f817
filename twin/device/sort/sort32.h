// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SORT_SORT32_H
#define TWIN_DEVICE_SORT_SORT32_H

#include "device/sort/lists.h"
#include "device/vec/shapes.h"

namespace AscendC {

/// Sorts every 32 scores of src0 in descending order into pairs of score and index (src1), 8 B
/// each.
template <typename T>
inline void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                   const LocalTensor<uint32_t>& src1, const int32_t repeatTimes, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Sort32, T, half, float);
    ::twin::sort::RunSort32("Sort32", ::twin::kDtypeOf<T>, ::twin::Of(dst), ::twin::Of(src0),
                            ::twin::Of(src1), repeatTimes, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SORT_SORT32_H
