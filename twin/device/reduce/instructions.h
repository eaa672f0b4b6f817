// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/reduce/shapes.h"

namespace AscendC {

// Sum, largest or smallest element of each block of 32 B: 8 results per repeat, side by side.
// dstRepStride counts groups of 8 results.
TWIN_REDUCE_GROUPS(BlockReduceSum, Sum, Block)
TWIN_REDUCE_GROUPS(BlockReduceMax, Max, Block)
TWIN_REDUCE_GROUPS(BlockReduceMin, Min, Block)
// Sums of neighbours: 128 B of results per repeat, which dstRepStride counts.
TWIN_REDUCE_GROUPS(PairReduceSum, Sum, Pair)

// Largest or smallest element of each repeat and its place in the repeat, in the requested order.
// The index is stored as bits in T, with ORDER_ONLY_INDEX as uint32_t. dstRepStride counts results.
TWIN_REDUCE_WHOLE(WholeReduceMax, Max)
TWIN_REDUCE_WHOLE(WholeReduceMin, Min)

// Writes the largest or smallest of all elements to dst[0]; with calIndex its index as bits of T to
// dst[1].
TWIN_REDUCE_ALL(ReduceMax, Max)
TWIN_REDUCE_ALL(ReduceMin, Min)

// Sum of each repeat, as a tree of neighbouring pairs. dstRepStride counts elements.
#define TWIN_WHOLE_REDUCE_SUM(MASK)                                                        \
    template <typename T, bool isSetMask = true>                                           \
    inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, MASK, \
                               const int32_t repeatTimes, const int32_t dstRepStride,      \
                               const int32_t srcBlkStride, const int32_t srcRepStride,     \
                               TWIN_HERE) {                                                \
        TWIN_REFUSE_DTYPE(WholeReduceSum, T, half, float);                                 \
        ::twin::reduce::Run(                                                               \
            ::twin::reduce::Make(::twin::Opcode::WholeReduceSum, ::twin::reduce::Op::Sum,  \
                                 ::twin::reduce::Group::Repeat, dst, src, mask, isSetMask, \
                                 repeatTimes, dstRepStride, srcBlkStride, srcRepStride),   \
            here);                                                                         \
    }
TWIN_WHOLE_REDUCE_SUM(const int32_t mask)
TWIN_WHOLE_REDUCE_SUM(const uint64_t mask[])
#undef TWIN_WHOLE_REDUCE_SUM

/// WholeReduceSum of the first elemsInOneRepeat elements of each repeat. dstBlkStride has no effect
/// on this chip.
template <typename T, bool isSetMask = true>
inline void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            const int32_t repeat, const int32_t elemsInOneRepeat,
                            const int32_t /*dstBlkStride*/, const int32_t srcBlkStride,
                            const int32_t dstRepStride, const int32_t srcRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(RepeatReduceSum, T, half, float);
    ::twin::reduce::Run(
        ::twin::reduce::Make(::twin::Opcode::RepeatReduceSum, ::twin::reduce::Op::Sum,
                             ::twin::reduce::Group::Repeat, dst, src, elemsInOneRepeat, isSetMask,
                             repeat, dstRepStride, srcBlkStride, srcRepStride),
        here);
}

// Writes the sum of all elements to dst[0]: the sums of the repeats are added as a tree again,
// through sharedTmpBuffer.
#define TWIN_REDUCE_SUM(MASK)                                                                      \
    template <typename T>                                                                          \
    inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,                    \
                          const LocalTensor<T>& sharedTmpBuffer, MASK, const int32_t repeatTimes,  \
                          const int32_t srcRepStride, TWIN_HERE) {                                 \
        TWIN_REFUSE_DTYPE(ReduceSum, T, half, float);                                              \
        ::twin::reduce::RunSumOfRepeats(::twin::kDtypeOf<T>, dst, src, sharedTmpBuffer,            \
                                        ::twin::reduce::Mask::Of(mask), repeatTimes, srcRepStride, \
                                        here);                                                     \
    }
TWIN_REDUCE_SUM(const int32_t mask)
TWIN_REDUCE_SUM(const uint64_t mask[])
#undef TWIN_REDUCE_SUM

/// Writes the sum of `count` elements to dst[0]: the sums of the repeats are added one after the
/// other. This chip does not use sharedTmpBuffer. Without isSetMask the mask register selects the
/// elements.
template <typename T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                      const LocalTensor<T>& /*sharedTmpBuffer*/, const int32_t count, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReduceSum, T, half, float);
    ::twin::reduce::RunSumOfCount(::twin::kDtypeOf<T>, dst, src, count, isSetMask, here);
}

// Newer names, whose mask comes before the repeat count: ReduceDataBlock of BlockReduceSum,
// BlockReduceMax and BlockReduceMin, ReducePairElem of PairReduceSum, ReduceRepeat of
// WholeReduceSum, WholeReduceMax and WholeReduceMin. ORDER: a further parameter, or none.
#define TWIN_REDUCE_BY_TYPE(API, GROUP, MASK, ORDER, TAKE_ORDER, GOOD, EXPECTED)                 \
    template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>              \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<U>& src, MASK,                  \
                    const int32_t repeatTime, const int32_t dstRepStride,                        \
                    const int32_t srcBlkStride, const int32_t srcRepStride ORDER(), TWIN_HERE) { \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                  \
        static_assert(IsSameType<T, U>::value, #API ": on A2/A3 dst and src have one type");     \
        static_assert(GOOD, #API ": reduceType has to be " EXPECTED);                            \
        ::twin::reduce::Request request = ::twin::reduce::Make(                                  \
            ::twin::Opcode::API, ::twin::reduce::OpOf(reduceType), ::twin::reduce::Group::GROUP, \
            dst, src, mask, isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);    \
        TAKE_ORDER();                                                                            \
        ::twin::reduce::Run(request, here);                                                      \
    }
#define TWIN_ORDER() , ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX
/// It has no effect on SUM.
#define TWIN_TAKE_ORDER() request.order = reduceType != ReduceType::SUM ? order : request.order
#define TWIN_REDUCE_BOTH(API, GROUP, ORDER, TAKE_ORDER, GOOD, EXPECTED)                    \
    TWIN_REDUCE_BY_TYPE(API, GROUP, const int32_t mask, ORDER, TAKE_ORDER, GOOD, EXPECTED) \
    TWIN_REDUCE_BY_TYPE(API, GROUP, const uint64_t mask[], ORDER, TAKE_ORDER, GOOD, EXPECTED)

TWIN_REDUCE_BOTH(ReduceDataBlock, Block, TWIN_NOTHING, TWIN_NOTHING, reduceType != ReduceType::NONE,
                 "SUM, MAX or MIN")
TWIN_REDUCE_BOTH(ReducePairElem, Pair, TWIN_NOTHING, TWIN_NOTHING, reduceType == ReduceType::SUM,
                 "SUM")
TWIN_REDUCE_BOTH(ReduceRepeat, Repeat, TWIN_ORDER, TWIN_TAKE_ORDER, reduceType != ReduceType::NONE,
                 "SUM, MAX or MIN")

#undef TWIN_REDUCE_BOTH
#undef TWIN_TAKE_ORDER
#undef TWIN_ORDER
#undef TWIN_REDUCE_BY_TYPE

}  // namespace AscendC
