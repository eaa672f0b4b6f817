// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/reduce/request.h"
#include "device/vec/shapes.h"

// This file declares the overloads of the reduction APIs. All of them support half and float.

/// Declares two overloads: with a count as the mask, and with an array of bits.
#define TWIN_MASK_FORMS(FORM, ...) \
    FORM(const int32_t mask, __VA_ARGS__) FORM(const uint64_t mask[], __VA_ARGS__)

/// Declares an overload of an API that reduces blocks or pairs. `repeat` comes before the mask.
#define TWIN_REDUCE_GROUPS_FORM(MASK, API, OP, GROUP)                                           \
    template <typename T, bool isSetMask = true>                                                \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeat, \
                    MASK, const int32_t dstRepStride, const int32_t srcBlkStride,               \
                    const int32_t srcRepStride, TWIN_HERE) {                                    \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                 \
        ::twin::reduce::Run(                                                                    \
            {::twin::Opcode::API, ::twin::reduce::Op::OP, ::twin::reduce::Group::GROUP,         \
             ::twin::kDtypeOf<T>, dst, src, ::twin::reduce::Mask::Of(mask, isSetMask), repeat,  \
             dstRepStride, srcBlkStride, srcRepStride},                                         \
            here);                                                                              \
    }
#define TWIN_REDUCE_GROUPS(API, OP, GROUP) TWIN_MASK_FORMS(TWIN_REDUCE_GROUPS_FORM, API, OP, GROUP)

/// Declares an overload of an API that reduces whole repeats to a value, an index or both. ORDER is
/// the parameter for the order of the results, or nothing.
#define TWIN_REDUCE_WHOLE_FORM(MASK, API, OP, ORDER, order)                                      \
    template <typename T, bool isSetMask = true>                                                 \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src, MASK,                  \
                    const int32_t repeatTimes, const int32_t dstRepStride,                       \
                    const int32_t srcBlkStride, const int32_t srcRepStride ORDER(), TWIN_HERE) { \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                  \
        ::twin::reduce::Run(                                                                     \
            {::twin::Opcode::API, ::twin::reduce::Op::OP, ::twin::reduce::Group::Repeat,         \
             ::twin::kDtypeOf<T>, dst, src, ::twin::reduce::Mask::Of(mask, isSetMask),           \
             repeatTimes, dstRepStride, srcBlkStride, srcRepStride, order},                      \
            here);                                                                               \
    }
#define TWIN_ORDER() , ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX

/// Declares an overload of ReduceMax or ReduceMin. With calIndex, the results include the index.
#define TWIN_REDUCE_ALL_FORM(MASK, API, OP)                                                 \
    template <typename T>                                                                   \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src,                   \
                    const LocalTensor<T>& sharedTmpBuffer, MASK, const int32_t repeatTimes, \
                    const int32_t srcRepStride, bool calIndex = false, TWIN_HERE) {         \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                             \
        ::twin::reduce::RunExtremeOfRepeats(::twin::Opcode::API, ::twin::reduce::Op::OP,    \
                                            ::twin::kDtypeOf<T>, dst, src, sharedTmpBuffer, \
                                            ::twin::reduce::Mask::Of(mask), repeatTimes,    \
                                            srcRepStride, calIndex, here);                  \
    }
#define TWIN_REDUCE_ALL(API, OP)                                                                 \
    TWIN_MASK_FORMS(TWIN_REDUCE_ALL_FORM, API, OP)                                               \
    template <typename T>                                                                        \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src,                        \
                    const LocalTensor<T>& sharedTmpBuffer, const int32_t count,                  \
                    bool calIndex = false, TWIN_HERE) {                                          \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                  \
        ::twin::reduce::RunExtremeOfCount(::twin::Opcode::API, ::twin::reduce::Op::OP,           \
                                          ::twin::kDtypeOf<T>, dst, src, sharedTmpBuffer, count, \
                                          calIndex, here);                                       \
    }

namespace AscendC {

// These functions reduce each block of 32 B to its sum, largest or smallest element. A repeat has 8
// results, side by side; dstRepStride counts groups of 8 results.
TWIN_REDUCE_GROUPS(BlockReduceSum, Sum, Block)
TWIN_REDUCE_GROUPS(BlockReduceMax, Max, Block)
TWIN_REDUCE_GROUPS(BlockReduceMin, Min, Block)
// Adds pairs of neighbours. A repeat has 128 B of results; dstRepStride counts units of 128 B.
TWIN_REDUCE_GROUPS(PairReduceSum, Sum, Pair)

// These functions find the largest or smallest element of each repeat and its index in the repeat.
// `order` selects what they store and in which order. An index has the size of T; with
// ORDER_ONLY_INDEX it is a uint32_t. dstRepStride counts results.
TWIN_MASK_FORMS(TWIN_REDUCE_WHOLE_FORM, WholeReduceMax, Max, TWIN_ORDER, order)
TWIN_MASK_FORMS(TWIN_REDUCE_WHOLE_FORM, WholeReduceMin, Min, TWIN_ORDER, order)

// These functions write the largest or smallest of all elements to dst[0]. With calIndex, they
// write the bits of the index to dst[1].
TWIN_REDUCE_ALL(ReduceMax, Max)
TWIN_REDUCE_ALL(ReduceMin, Min)

// Computes the sum of each repeat, as a tree of neighbouring pairs. dstRepStride counts elements.
TWIN_MASK_FORMS(TWIN_REDUCE_WHOLE_FORM, WholeReduceSum, Sum, TWIN_NOTHING,
                ReduceOrder::ORDER_ONLY_VALUE)

/// Computes WholeReduceSum of the first elemsInOneRepeat elements of each repeat. dstBlkStride has
/// no effect on A2 and A3.
template <typename T, bool isSetMask = true>
inline void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            const int32_t repeat, const int32_t elemsInOneRepeat,
                            const int32_t /*dstBlkStride*/, const int32_t srcBlkStride,
                            const int32_t dstRepStride, const int32_t srcRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(RepeatReduceSum, T, half, float);
    ::twin::reduce::Run(
        {::twin::Opcode::RepeatReduceSum, ::twin::reduce::Op::Sum, ::twin::reduce::Group::Repeat,
         ::twin::kDtypeOf<T>, dst, src, ::twin::reduce::Mask::Of(elemsInOneRepeat, isSetMask),
         repeat, dstRepStride, srcBlkStride, srcRepStride},
        here);
}

// Writes the sum of all elements to dst[0]: first writes the sum of each repeat to sharedTmpBuffer,
// then adds these sums as a tree.
#define TWIN_REDUCE_SUM(MASK, API)                                                                 \
    template <typename T>                                                                          \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src,                          \
                    const LocalTensor<T>& sharedTmpBuffer, MASK, const int32_t repeatTimes,        \
                    const int32_t srcRepStride, TWIN_HERE) {                                       \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                    \
        ::twin::reduce::RunSumOfRepeats(::twin::kDtypeOf<T>, dst, src, sharedTmpBuffer,            \
                                        ::twin::reduce::Mask::Of(mask), repeatTimes, srcRepStride, \
                                        here);                                                     \
    }
TWIN_MASK_FORMS(TWIN_REDUCE_SUM, ReduceSum)

/// Writes the sum of `count` elements to dst[0]: the sums of the repeats are added one after the
/// other. A2 and A3 do not use sharedTmpBuffer. Without isSetMask the mask register selects the
/// elements.
template <typename T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                      const LocalTensor<T>& /*sharedTmpBuffer*/, const int32_t count, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReduceSum, T, half, float);
    ::twin::reduce::RunSumOfCount(::twin::kDtypeOf<T>, dst, src, count, isSetMask, here);
}

// Declares newer functions, whose mask comes before the repeat count. ReduceDataBlock replaces
// BlockReduceSum, ...Max and ...Min; ReducePairElem replaces PairReduceSum; ReduceRepeat replaces
// WholeReduceSum, ...Max and ...Min. ORDER is one more parameter, or nothing.
#define TWIN_REDUCE_BY_TYPE(MASK, API, GROUP, ORDER, order, GOOD, EXPECTED)                        \
    template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<U>& src, MASK,                    \
                    const int32_t repeatTime, const int32_t dstRepStride,                          \
                    const int32_t srcBlkStride, const int32_t srcRepStride ORDER(), TWIN_HERE) {   \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                    \
        static_assert(IsSameType<T, U>::value, #API ": on A2/A3 dst and src have one type");       \
        static_assert(GOOD, #API ": reduceType has to be " EXPECTED);                              \
        ::twin::reduce::Run(                                                                       \
            {::twin::Opcode::API, ::twin::reduce::OpOf(reduceType), ::twin::reduce::Group::GROUP,  \
             ::twin::kDtypeOf<T>, dst, src, ::twin::reduce::Mask::Of(mask, isSetMask), repeatTime, \
             dstRepStride, srcBlkStride, srcRepStride, order},                                     \
            here);                                                                                 \
    }

TWIN_MASK_FORMS(TWIN_REDUCE_BY_TYPE, ReduceDataBlock, Block, TWIN_NOTHING,
                ReduceOrder::ORDER_ONLY_VALUE, reduceType != ReduceType::NONE, "SUM, MAX or MIN")
TWIN_MASK_FORMS(TWIN_REDUCE_BY_TYPE, ReducePairElem, Pair, TWIN_NOTHING,
                ReduceOrder::ORDER_ONLY_VALUE, reduceType == ReduceType::SUM, "SUM")
// `order` has no effect if reduceType is SUM.
TWIN_MASK_FORMS(TWIN_REDUCE_BY_TYPE, ReduceRepeat, Repeat, TWIN_ORDER,
                reduceType != ReduceType::SUM ? order : ReduceOrder::ORDER_ONLY_VALUE,
                reduceType != ReduceType::NONE, "SUM, MAX or MIN")

}  // namespace AscendC
