// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_FUSED_H
#define TWIN_DEVICE_VEC_FUSED_H

#include "device/lanes/fused.h"
#include "device/types/narrow.h"
#include "device/vec/shapes.h"

// Common part of the compound instructions: two sources of one type, a destination of the same or
// another.

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
/// `distance` is extended as the scalar's type says; `rounded` is for right shifts only.
TWIN_API void RunShift(Opcode api, lanes::ShiftOp op, Dtype dtype, const Operand& dst,
                       const Operand& src, int64_t distance, const Extent& extent,
                       const AscendC::UnaryRepeatParams& strides, Location where);

}  // namespace twin::vec

/// dst[i] = op(src0[i], src1[i], dst[i]), all of one type.
#define TWIN_VEC_FUSED(API, ...) TWIN_VEC_BINARY_BY(RunFused, FusedOp, API, __VA_ARGS__)

/// dst[i] = op(src0[i], src1[i]) with a destination of another type. MASK is the type of the mask
/// bits; PAIRS is a condition on T (destination) and U (sources).
#define TWIN_VEC_MIXED(API, MASK_PARAMETER, PAIRS)                                                \
    template <typename T, typename U, bool isSetMask = true>                                      \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<U>& src0,                        \
                    const LocalTensor<U>& src1, MASK_PARAMETER, const ::twin::Narrow8 repeatTime, \
                    const BinaryRepeatParams& repeatParams, TWIN_HERE) {                          \
        static_assert(PAIRS, #API ": this pair of types is not available on A2/A3");              \
        ::twin::vec::RunMixed(                                                                    \
            ::twin::Opcode::API, ::twin::lanes::MixedOp::API, ::twin::kDtypeOf<T>,                \
            ::twin::kDtypeOf<U>, ::twin::Of(dst), ::twin::Of(src0), ::twin::Of(src1),             \
            ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams, here);          \
    }

#define TWIN_VEC_MIXED_COUNT(API, COUNT_TYPE, PAIRS)                                  \
    template <typename T, typename U>                                                 \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<U>& src0,            \
                    const LocalTensor<U>& src1, COUNT_TYPE calCount, TWIN_HERE) {     \
        static_assert(PAIRS, #API ": this pair of types is not available on A2/A3");  \
        ::twin::vec::RunMixed(                                                        \
            ::twin::Opcode::API, ::twin::lanes::MixedOp::API, ::twin::kDtypeOf<T>,    \
            ::twin::kDtypeOf<U>, ::twin::Of(dst), ::twin::Of(src0), ::twin::Of(src1), \
            ::twin::vec::Extent::Elements(calCount), BinaryRepeatParams(), here);     \
    }

#endif  // TWIN_DEVICE_VEC_FUSED_H
