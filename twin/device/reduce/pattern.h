// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "device/pipe/spm.h"
#include "device/reduce/pattern_flags.h"
#include "device/reduce/pattern_product.h"
#include "device/reduce/pattern_scratch.h"
#include "device/reduce/pattern_steps.h"
#include "device/vec/elementwise.h"
#include "device/vec/mask.h"

// Reductions of a matrix along one axis (newer than CANN 8.1). As in the library, each call issues
// the vector instructions themselves, so its records are those of Add, PairReduceSum and so on.

namespace twin::reduce {

/// Fails if the shape or the size of the scratch is wrong (T703, T700).
TWIN_API void CheckPattern(const char* api, const uint32_t shape[], bool padded, uint32_t scratch,
                           uint32_t needed);
/// Fails if the rows are such that the library drops elements (T703).
TWIN_API void CheckFlagRows(const char* api, uint32_t last);

/// Reduces by a call for elements of type T: of floats, ReduceAny and ReduceAll are the extremes.
template <PatternOp op, typename T>
constexpr PatternOp kPatternOp = std::is_same<T, uint8_t>::value ? op
                                 : op == PatternOp::Or           ? PatternOp::Max
                                 : op == PatternOp::And          ? PatternOp::Min
                                                                 : op;

template <PatternOp call, bool mean, typename Pattern, bool reuse, typename T>
void ReduceByPattern(const char* api, const AscendC::LocalTensor<T>& dst,
                     const AscendC::LocalTensor<T>& src,
                     const AscendC::LocalTensor<uint8_t>& scratch, const uint32_t shape[],
                     bool padded, Location here) {
    static_assert(kIsReducePattern<Pattern>, "reductions by pattern: the pattern is AR or RA");
    constexpr bool rows = std::is_same<Pattern, AscendC::Pattern::Reduce::AR>::value;
    constexpr PatternOp op = kPatternOp<call, T>;
    const AxisShape m(shape, sizeof(T));
    CheckPattern(api, shape, padded, scratch.GetSize(),
                 PatternScratch(m, sizeof(T), rows, op, reuse));
    const AscendC::LocalTensor<T> tmp = scratch.template ReinterpretCast<T>();
    AscendC::SetMaskNorm(here);
    if constexpr (std::is_same<T, uint8_t>::value) {
        if constexpr (rows) {
            CheckFlagRows(api, m.last);
            FlagsOfRows<op>(dst, src, tmp, m, here);
        } else {
            FlagsOfColumns<op, reuse>(dst, src, tmp, m, here);
        }
    } else if constexpr (rows && op == PatternOp::Product) {
        ProductOfRows<reuse>(dst, src, tmp, m, here);
    } else if constexpr (rows) {
        ReduceLastAxis<op, reuse>(dst, src, tmp, m, here);
    } else {
        ReduceFirstAxis<op, reuse>(dst, src, tmp, m, here);
    }
    if constexpr (mean) {
        const float share =
            1.0F / static_cast<float>(static_cast<int32_t>(rows ? m.last : m.first));
        AscendC::Muls(dst, dst, share, static_cast<int32_t>(rows ? m.first : m.last), here);
        AscendC::PipeBarrier<PIPE_V>(here);
    }
    AscendC::ResetMask(here);
}

}  // namespace twin::reduce

namespace AscendC {

// Declares both overloads of a reduction of `srcShape` = {first, last}; rows of src begin at
// multiples of 32 B. AR reduces the last axis, RA the first one.
#define TWIN_REDUCE_PATTERN(API, OP, MEAN, ...)                                               \
    template <class T, class pattern, bool isReuseSource = false>                             \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,         \
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[],   \
                    bool srcInnerPad, TWIN_HERE) {                                            \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                               \
        if (::twin::Self().BeginOn(::twin::CoreKind::Aiv, here)) {                            \
            using Op = ::twin::reduce::PatternOp;                                             \
            ::twin::reduce::ReduceByPattern<Op::OP, MEAN, pattern, isReuseSource>(            \
                #API, dstTensor, srcTensor, sharedTmpBuffer, srcShape, srcInnerPad, here);    \
        }                                                                                     \
    }                                                                                         \
    template <class T, class pattern, bool isReuseSource = false>                             \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,         \
                    const uint32_t srcShape[], bool srcInnerPad, TWIN_HERE) {                 \
        LocalTensor<uint8_t> rest;                                                            \
        if (::twin::Self().BeginOn(::twin::CoreKind::Aiv, here)) {                            \
            PopStackBuffer<uint8_t, TPosition::LCM>(rest, here);                              \
            API<T, pattern, isReuseSource>(dstTensor, srcTensor, rest, srcShape, srcInnerPad, \
                                           here);                                             \
        }                                                                                     \
    }
TWIN_REDUCE_PATTERN(ReduceSum, Sum, false, float)
TWIN_REDUCE_PATTERN(ReduceMean, Sum, true, float)
TWIN_REDUCE_PATTERN(ReduceMax, Max, false, half, float)
TWIN_REDUCE_PATTERN(ReduceMin, Min, false, half, float)
TWIN_REDUCE_PATTERN(ReduceProd, Product, false, float)
TWIN_REDUCE_PATTERN(ReduceAny, Or, false, uint8_t, float)
TWIN_REDUCE_PATTERN(ReduceAll, And, false, uint8_t, float)
#undef TWIN_REDUCE_PATTERN

}  // namespace AscendC
