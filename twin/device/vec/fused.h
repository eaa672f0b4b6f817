// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/lanes/arithmetic.h"
#include "device/types/parameters.h"
#include "device/vec/shapes.h"

// Common part of the instructions that combine several operations. Their sources have one type; the
// destination may have another.

/// Defines an instruction dst[i] = op(src0[i], src1[i], dst[i]) with a single type.
#define TWIN_VEC_FUSED(API, ...) TWIN_VEC_BINARY_BY(RunFused, FusedOp, API, __VA_ARGS__)

/// Defines dst[i] = op(src0[i], src1[i]) with a mask and with a destination of another type. PAIRS
/// is a condition on T (destination) and U (sources).
#define TWIN_VEC_MIXED(API, PAIRS)                                                            \
    template <typename T, typename U, bool isSetMask = true>                                  \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<U>& src0,                    \
                    const LocalTensor<U>& src1, const ::twin::vec::Mask mask,                 \
                    const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams, \
                    TWIN_HERE) {                                                              \
        static_assert(PAIRS, #API ": T from U is not available on A2/A3");                    \
        ::twin::vec::RunMixed(::twin::Opcode::API, ::twin::lanes::MixedOp::API,               \
                              ::twin::kDtypeOf<T>, ::twin::kDtypeOf<U>, dst, src0, src1,      \
                              ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask),         \
                              repeatParams, here);                                            \
    }

#define TWIN_VEC_MIXED_COUNT(API, COUNT_TYPE, PAIRS)                                         \
    template <typename T, typename U>                                                        \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<U>& src0,                   \
                    const LocalTensor<U>& src1, COUNT_TYPE calCount, TWIN_HERE) {            \
        static_assert(PAIRS, #API ": T from U is not available on A2/A3");                   \
        ::twin::vec::RunMixed(::twin::Opcode::API, ::twin::lanes::MixedOp::API,              \
                              ::twin::kDtypeOf<T>, ::twin::kDtypeOf<U>, dst, src0, src1,     \
                              ::twin::vec::Extent::Elements(calCount), BinaryRepeatParams(), \
                              here);                                                         \
    }

namespace twin::vec {

TWIN_API void RunFused(Opcode api, lanes::FusedOp op, Dtype dtype, const Operand& dst,
                       const Operand& src0, const Operand& src1, const Extent& extent,
                       const AscendC::BinaryRepeatParams& strides, Location where);
TWIN_API void RunMixed(Opcode api, lanes::MixedOp op, Dtype to, Dtype from, const Operand& dst,
                       const Operand& src0, const Operand& src1, const Extent& extent,
                       const AscendC::BinaryRepeatParams& strides, Location where);
TWIN_API void RunAxpy(Dtype to, Dtype from, const Operand& dst, const Operand& src,
                      const void* scalar, const Extent& extent,
                      const AscendC::UnaryRepeatParams& strides, Location where);
TWIN_API void RunAddDeqRelu(const Operand& dst, const Operand& src0, const Operand& src1,
                            const Extent& extent, const AscendC::BinaryRepeatParams& strides,
                            Location where);
/// Shifts by `distance`. Strict mode requires at least 0 and at most the width of `dtype` (T411).
TWIN_API void RunShift(Opcode api, lanes::ShiftOp op, Dtype dtype, const Operand& dst,
                       const Operand& src, int64_t distance, const Extent& extent,
                       const AscendC::UnaryRepeatParams& strides, Location where);

template <typename T, typename U>
inline void MulAddDst(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src0,
                      const AscendC::LocalTensor<U>& src1, const Extent& extent,
                      const AscendC::BinaryRepeatParams& strides, Location where) {
    constexpr bool kSame = std::is_same<T, U>::value && kOneOf<T, half, float>;
    constexpr bool kWidening = std::is_same<T, float>::value && std::is_same<U, half>::value;
    static_assert(kSame || kWidening,
                  "MulAddDst: takes half, float, or half sources with a float destination");
    if constexpr (kSame) {
        RunFused(Opcode::MulAddDst, lanes::FusedOp::MulAddDst, kDtypeOf<T>, dst, src0, src1, extent,
                 strides, where);
    } else {
        RunMixed(Opcode::MulAddDst, lanes::MixedOp::MulAddDst, kDtypeOf<T>, kDtypeOf<U>, dst, src0,
                 src1, extent, strides, where);
    }
}

}  // namespace twin::vec

namespace AscendC {

// MulCast: dst = src0 * src1. The product is rounded to half, then to an integer (nearest, ties to
// even), and saturated to 8 bits.
#define TWIN_PAIRS std::is_same<U, half>::value&& ::twin::kOneOf<T, int8_t, uint8_t>
TWIN_VEC_MIXED(MulCast, (TWIN_PAIRS))
TWIN_VEC_MIXED_COUNT(MulCast, uint32_t, (TWIN_PAIRS))
#undef TWIN_PAIRS

// AddReluCast and SubReluCast: dst = max(src0 + src1, 0) and max(src0 - src1, 0). The sum or
// difference is rounded (int16_t wraps) in the sources' type, then rounded to nearest even and
// saturated to the destination's type.
#define TWIN_PAIRS                                                     \
    (std::is_same<T, half>::value && std::is_same<U, float>::value) || \
        (std::is_same<T, int8_t>::value && ::twin::kOneOf<U, half, int16_t>)
TWIN_VEC_MIXED(AddReluCast, (TWIN_PAIRS))
TWIN_VEC_MIXED_COUNT(AddReluCast, const uint32_t, (TWIN_PAIRS))
TWIN_VEC_MIXED(SubReluCast, (TWIN_PAIRS))
TWIN_VEC_MIXED_COUNT(SubReluCast, const uint32_t, (TWIN_PAIRS))
#undef TWIN_PAIRS

/// Computes dst += src0 * src1; product and sum are each rounded to dst's type. With a float
/// destination and half sources a repeat has 64 elements.
template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                      const LocalTensor<U>& src1, const ::twin::vec::ConstMask mask,
                      const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                      TWIN_HERE) {
    twin::vec::MulAddDst(dst, src0, src1, twin::vec::Extent::Mask(mask, repeatTime, isSetMask),
                         repeatParams, here);
}

template <typename T, typename U>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                      const LocalTensor<U>& src1, const int32_t& calCount, TWIN_HERE) {
    twin::vec::MulAddDst(dst, src0, src1, twin::vec::Extent::Elements(calCount),
                         BinaryRepeatParams(), here);
}

}  // namespace AscendC
