// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SORT_SORT_H
#define TWIN_DEVICE_SORT_SORT_H

#include "device/issue/steps.h"
#include "device/sort/lists.h"
#include "device/vec/shapes.h"

namespace AscendC {

/// On this chip scores need no preparation: concat becomes another name of src.
template <typename T>
inline void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>& /*tmp*/,
                   const int32_t repeatTime, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Concat, T, half, float);
    ::twin::sort::NarrowRepeats("Concat", repeatTime, here);
    concat = src;
}

/// Runs Sort32 on every 32 scores; with isFullSort all of them become one list, and tmp must be as
/// large as dst.
template <typename T, bool isFullSort>
inline void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat,
                 const LocalTensor<uint32_t>& index, LocalTensor<T>& tmp, const int32_t repeatTime,
                 TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Sort, T, half, float);
    const ::twin::Steps steps(::twin::Self(), "Sort");
    ::twin::sort::RunSort32("Sort", ::twin::kDtypeOf<T>, ::twin::Of(dst), ::twin::Of(concat),
                            ::twin::Of(index), repeatTime, here);
    if constexpr (isFullSort) {
        ::twin::sort::RunFullSort(::twin::kDtypeOf<T>, ::twin::Of(dst), ::twin::Of(tmp), repeatTime,
                                  here);
    }
}

/// Splits sorted pairs into scores and indices, 32 per repeat.
template <typename T>
inline void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex,
                    const LocalTensor<T>& sorted, const int32_t repeatTime, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Extract, T, half, float);
    ::twin::sort::RunExtract(::twin::kDtypeOf<T>, ::twin::Of(dstValue), ::twin::Of(dstIndex),
                             ::twin::Of(sorted), repeatTime, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SORT_SORT_H
