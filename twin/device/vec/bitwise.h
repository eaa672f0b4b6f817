// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_BITWISE_H
#define TWIN_DEVICE_VEC_BITWISE_H

#include "device/types/narrow.h"
#include "device/vec/shapes.h"

namespace twin::vec {

/// The count form of And and Or on a 32-bit type. The 8.1.RC1 library reads the tensor as int16_t
/// there without changing the count, so it leaves out half of the tensor: an error in strict mode.
TWIN_API void RunBitwise32(Opcode api, lanes::BinaryOp op, const Operand& dst, const Operand& src0,
                           const Operand& src1, int32_t count, Location where);

}  // namespace twin::vec

/// dst[i] = src0[i] op src1[i], bit by bit.
#define TWIN_VEC_BITWISE(API)                                                                 \
    TWIN_VEC_BINARY_MASKED(RunBinary, BinaryOp, API, uint64_t mask[], int16_t, uint16_t)      \
    TWIN_VEC_BINARY_MASKED(RunBinary, BinaryOp, API, uint64_t mask, int16_t, uint16_t)        \
    template <typename T>                                                                     \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                    \
                    const LocalTensor<T>& src1, const int32_t& calCount, TWIN_HERE) {         \
        TWIN_REFUSE_DTYPE(API, T, int16_t, uint16_t, int32_t, uint32_t);                      \
        if constexpr (sizeof(T) == 4) {                                                       \
            ::twin::vec::RunBitwise32(::twin::Opcode::API, ::twin::lanes::BinaryOp::API,      \
                                      ::twin::Of(dst), ::twin::Of(src0), ::twin::Of(src1),    \
                                      calCount, here);                                        \
        } else {                                                                              \
            ::twin::vec::RunBinary(::twin::Opcode::API, ::twin::lanes::BinaryOp::API,         \
                                   ::twin::kDtypeOf<T>, ::twin::Of(dst), ::twin::Of(src0),    \
                                   ::twin::Of(src1), ::twin::vec::Extent::Elements(calCount), \
                                   BinaryRepeatParams(), here);                               \
        }                                                                                     \
    }

#endif  // TWIN_DEVICE_VEC_BITWISE_H
