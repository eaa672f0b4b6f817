// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "device/issue/operand.h"
#include "device/sort/sort_config.h"
#include "device/tensor/local_tensor.h"
#include "device/tensor/operand.h"
#include "device/vec/shapes.h"

namespace twin::sort {

constexpr uint32_t kGroup = 32;     ///< number of scores that Sort32 sorts together
constexpr uint32_t kPairBytes = 8;  ///< bytes of a pair: score, and index in the last four bytes
constexpr uint32_t kLists = 4;      ///< largest number of lists that MrgSort merges

/// The parameters of one MrgSort call.
struct Merge {
    Dtype dtype;
    Operand dst;
    Operand src[kLists];
    uint16_t lengths[kLists];  ///< number of pairs of each list
    bool suspend;              ///< true: the merge stops as soon as a list is exhausted
    uint16_t validBit;
    int32_t repeats;
};

/// Sorts every 32 scores, with their indices, into 32 pairs with descending scores. Equal scores
/// keep their order; NaN counts as the largest number.
TWIN_API void RunSort32(Opcode api, Dtype dtype, const Operand& dst, const Operand& score,
                        const Operand& index, int32_t repeats, Location where);
/// Merges sorted lists of pairs into one. If scores are equal, the earlier list's pair comes first.
TWIN_API void RunMerge(const Merge& merge, Location where);
/// Merges the groups of Sort32 in `dst` into one list, four lists at a time; `tmp` is scratch.
TWIN_API void RunFullSort(Dtype dtype, const Operand& dst, const Operand& tmp, int32_t repeats,
                          Location where);
/// Splits pairs into scores and indices, 32 per repeat.
TWIN_API void RunExtract(Dtype dtype, const Operand& value, const Operand& index,
                         const Operand& sorted, int32_t repeats, Location where);
/// Reads the register VMS4_SR: how many pairs the last merge with suspension took from each list.
TWIN_API void ReadMerged(uint16_t counts[kLists], Location where);
/// Returns the low 8 bits of the repeat count; in strict mode, fails if bits are lost (T430).
TWIN_API uint8_t NarrowRepeats(const char* api, int32_t repeats, Location where);

/// Converts a score to an integer with the same order. Zeros of either sign are equal, NaN is the
/// largest.
inline int32_t KeyOf(const uint8_t* score, Dtype dtype) {
    uint32_t bits = 0;
    std::memcpy(&bits, score, SizeOf(dtype));
    bits = dtype == Dtype::F16 ? bits << 16 : bits;
    const uint32_t infinity = dtype == Dtype::F16 ? 0x7C000000U : 0x7F800000U;
    const uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > infinity) {
        return INT32_MAX;
    }
    const auto key = static_cast<int32_t>(magnitude);
    return (bits >> 31) != 0 ? -key : key;
}

}  // namespace twin::sort

namespace AscendC {

/// Returns how many elements of type T the pairs of `elemOffset` scores occupy.
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

// A2 and A3 have no region proposals. A call of one of the APIs below is a compile error.
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

/// Sorts every 32 scores of src0 in descending order. dst receives pairs of 8 B: a score and its
/// index from src1.
template <typename T>
inline void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                   const LocalTensor<uint32_t>& src1, const int32_t repeatTimes, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Sort32, T, half, float);
    ::twin::sort::RunSort32(::twin::Opcode::Sort32, ::twin::kDtypeOf<T>, dst, src0, src1,
                            repeatTimes, here);
}

/// Makes `concat` the same tensor as `src`, because Sort on A2 and A3 takes scores as they are.
template <typename T>
inline void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>& /*tmp*/,
                   const int32_t repeatTime, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Concat, T, half, float);
    ::twin::sort::NarrowRepeats("Concat", repeatTime, here);
    concat = src;
}

/// Runs Sort32 on every 32 scores. If isFullSort is true, also merges the results into one list;
/// then tmp must be as large as dst.
template <typename T, bool isFullSort>
inline void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat,
                 const LocalTensor<uint32_t>& index, LocalTensor<T>& tmp, const int32_t repeatTime,
                 TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Sort, T, half, float);
    const ::twin::Steps steps(::twin::Self(), ::twin::Opcode::Sort);
    ::twin::sort::RunSort32(::twin::Opcode::Sort, ::twin::kDtypeOf<T>, dst, concat, index,
                            repeatTime, here);
    if constexpr (isFullSort) {
        ::twin::sort::RunFullSort(::twin::kDtypeOf<T>, dst, tmp, repeatTime, here);
    }
}

/// Splits sorted pairs into scores and indices, 32 per repeat.
template <typename T>
inline void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex,
                    const LocalTensor<T>& sorted, const int32_t repeatTime, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Extract, T, half, float);
    ::twin::sort::RunExtract(::twin::kDtypeOf<T>, dstValue, dstIndex, sorted, repeatTime, here);
}

}  // namespace AscendC
