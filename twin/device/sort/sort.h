// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SORT_SORT_H
#define TWIN_DEVICE_SORT_SORT_H

#include "device/issue/steps.h"
#include "device/sort/lists.h"
#include "device/tensor/local_tensor.h"
#include "device/vec/shapes.h"

namespace AscendC {

/// Sorts every 32 scores of src0 in descending order into pairs of score and index (src1), 8 B
/// each.
template <typename T>
inline void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                   const LocalTensor<uint32_t>& src1, const int32_t repeatTimes, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Sort32, T, half, float);
    ::twin::sort::RunSort32(::twin::Opcode::Sort32, ::twin::kDtypeOf<T>, ::twin::Of(dst),
                            ::twin::Of(src0), ::twin::Of(src1), repeatTimes, here);
}

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
    const ::twin::Steps steps(::twin::Self(), ::twin::Opcode::Sort);
    ::twin::sort::RunSort32(::twin::Opcode::Sort, ::twin::kDtypeOf<T>, ::twin::Of(dst),
                            ::twin::Of(concat), ::twin::Of(index), repeatTime, here);
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

// The region-proposal format belongs to other chips: these names exist to report that.
#define TWIN_REFUSE_PROPOSAL(API, INSTEAD)                                    \
    template <typename T, typename... Arguments>                              \
    inline void API(const LocalTensor<T>&, Arguments&&...) {                  \
        static_assert(sizeof(T) == 0, #API                                    \
                      " works on region proposals, which A2/A3 do not have; " \
                      "use " INSTEAD);                                        \
    }
TWIN_REFUSE_PROPOSAL(MrgSort4, "MrgSort")
TWIN_REFUSE_PROPOSAL(RpSort16, "Sort32")
TWIN_REFUSE_PROPOSAL(ProposalConcat, "Sort32, which takes scores and indices as they are")
TWIN_REFUSE_PROPOSAL(ProposalExtract, "Extract")
#undef TWIN_REFUSE_PROPOSAL

}  // namespace AscendC

#endif  // TWIN_DEVICE_SORT_SORT_H
