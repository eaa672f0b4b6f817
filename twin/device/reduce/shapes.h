// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/reduce/request.h"
#include "device/vec/shapes.h"

// The overloads of the reduction APIs. All of them support half and float.

namespace twin::reduce {

template <typename T, typename M>
inline Request Make(Opcode api, Op op, Group group, const AscendC::LocalTensor<T>& dst,
                    const AscendC::LocalTensor<T>& src, M mask, bool setMask, int32_t repeats,
                    int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {
    Request request;
    request.api = api;
    request.op = op;
    request.group = group;
    request.dtype = kDtypeOf<T>;
    request.dst = dst;
    request.src = src;
    request.mask = Mask::Of(mask, setMask);
    request.repeats = repeats;
    request.dstRepStride = dstRepStride;
    request.srcBlkStride = srcBlkStride;
    request.srcRepStride = srcRepStride;
    return request;
}

}  // namespace twin::reduce

/// One form of an API that reduces blocks or pairs: here the repeat count comes before the mask.
#define TWIN_REDUCE_GROUPS_FORM(API, OP, GROUP, MASK)                                             \
    template <typename T, bool isSetMask = true>                                                  \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeat,   \
                    MASK, const int32_t dstRepStride, const int32_t srcBlkStride,                 \
                    const int32_t srcRepStride, TWIN_HERE) {                                      \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                   \
        ::twin::reduce::Run(                                                                      \
            ::twin::reduce::Make(::twin::Opcode::API, ::twin::reduce::Op::OP,                     \
                                 ::twin::reduce::Group::GROUP, dst, src, mask, isSetMask, repeat, \
                                 dstRepStride, srcBlkStride, srcRepStride),                       \
            here);                                                                                \
    }
#define TWIN_REDUCE_GROUPS(API, OP, GROUP)                      \
    TWIN_REDUCE_GROUPS_FORM(API, OP, GROUP, const int32_t mask) \
    TWIN_REDUCE_GROUPS_FORM(API, OP, GROUP, const uint64_t mask[])

/// One form of an API that reduces whole repeats to a value, an index or both.
#define TWIN_REDUCE_WHOLE_FORM(API, OP, MASK)                                                     \
    template <typename T, bool isSetMask = true>                                                  \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src, MASK,                   \
                    const int32_t repeatTimes, const int32_t dstRepStride,                        \
                    const int32_t srcBlkStride, const int32_t srcRepStride,                       \
                    ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, TWIN_HERE) {              \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                   \
        ::twin::reduce::Request request = ::twin::reduce::Make(                                   \
            ::twin::Opcode::API, ::twin::reduce::Op::OP, ::twin::reduce::Group::Repeat, dst, src, \
            mask, isSetMask, repeatTimes, dstRepStride, srcBlkStride, srcRepStride);              \
        request.order = order;                                                                    \
        ::twin::reduce::Run(request, here);                                                       \
    }
#define TWIN_REDUCE_WHOLE(API, OP)                      \
    TWIN_REDUCE_WHOLE_FORM(API, OP, const int32_t mask) \
    TWIN_REDUCE_WHOLE_FORM(API, OP, const uint64_t mask[])

/// An API that reduces everything to one value, and with calIndex also to its index.
#define TWIN_REDUCE_ALL_FORM(API, OP, MASK)                                                 \
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
    TWIN_REDUCE_ALL_FORM(API, OP, const int32_t mask)                                            \
    TWIN_REDUCE_ALL_FORM(API, OP, const uint64_t mask[])                                         \
    template <typename T>                                                                        \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src,                        \
                    const LocalTensor<T>& sharedTmpBuffer, const int32_t count,                  \
                    bool calIndex = false, TWIN_HERE) {                                          \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                  \
        ::twin::reduce::RunExtremeOfCount(::twin::Opcode::API, ::twin::reduce::Op::OP,           \
                                          ::twin::kDtypeOf<T>, dst, src, sharedTmpBuffer, count, \
                                          calIndex, here);                                       \
    }
