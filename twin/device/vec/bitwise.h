// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/types/parameters.h"
#include "device/vec/fused.h"
#include "device/vec/shapes.h"

/// Defines a bitwise instruction, dst[i] = src0[i] op src1[i], with overloads for mask and count.
/// For 8-bit types, which no page lists, the library counts 16-bit elements.
#define TWIN_VEC_BITWISE(API)                                                                      \
    TWIN_VEC_BINARY_MASKED(RunBinary, BinaryOp, API, int16_t, uint16_t)                            \
    template <typename T>                                                                          \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                         \
                    const LocalTensor<T>& src1, const int32_t& calCount, TWIN_HERE) {              \
        TWIN_REFUSE_DTYPE(API, T, int16_t, uint16_t, int32_t, uint32_t, int8_t, uint8_t);          \
        if constexpr (sizeof(T) == 4) {                                                            \
            ::twin::vec::RunBitwise32(::twin::Opcode::API, ::twin::lanes::BinaryOp::API, dst,      \
                                      src0, src1, calCount, here);                                 \
        } else {                                                                                   \
            using Counted = std::conditional_t<sizeof(T) == 1, int16_t, T>;                        \
            ::twin::vec::RunBinary(                                                                \
                ::twin::Opcode::API, ::twin::lanes::BinaryOp::API, ::twin::kDtypeOf<Counted>, dst, \
                src0, src1, ::twin::vec::Extent::Elements(calCount), BinaryRepeatParams(), here);  \
        }                                                                                          \
    }

namespace twin::vec {

/// Runs And or Or with a count on a 32-bit type. The 8.1.RC1 library computes only half of the
/// tensor: it reads int16_t elements, but uses the same count. Strict mode reports the call (T409).
TWIN_API void RunBitwise32(Opcode api, lanes::BinaryOp op, const Operand& dst, const Operand& src0,
                           const Operand& src1, int32_t count, Location where);

template <typename T>
inline void Shift(Opcode api, lanes::ShiftOp op, const AscendC::LocalTensor<T>& dst,
                  const AscendC::LocalTensor<T>& src, T distance, const Extent& extent,
                  const AscendC::UnaryRepeatParams& strides, Location where) {
    static_assert(kOneOf<T, int16_t, uint16_t, int32_t, uint32_t>,
                  "ShiftLeft and ShiftRight: this type is not supported on A2/A3; they take "
                  "int16_t, uint16_t, int32_t, uint32_t");
    RunShift(api, op, kDtypeOf<T>, dst, src, static_cast<int64_t>(distance), extent, strides,
             where);
}

}  // namespace twin::vec

namespace AscendC {

// ShiftLeft: dst = src << scalar; a signed number keeps its sign bit. ShiftRight: dst = src >>
// scalar, arithmetic for signed numbers. roundEn, for signed types only, adds the last bit that was
// shifted out. As in the toolkit, the overload with type U has no default for roundEn. MORE: a
// further parameter, or none.
#define TWIN_SHIFT(API, PARAMETERS, SCALAR, OP, MASKED_OP, MORE)                                   \
    template <PARAMETERS()>                                                                        \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src,                          \
                    const SCALAR& scalarValue, const ::twin::vec::Mask mask,                       \
                    const ::twin::Narrow8 repeatTime,                                              \
                    const UnaryRepeatParams& repeatParams MORE(), TWIN_HERE) {                     \
        ::twin::vec::Shift(::twin::Opcode::API, MASKED_OP, dst, src, scalarValue,                  \
                           ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams,   \
                           here);                                                                  \
    }                                                                                              \
    template <PARAMETERS()>                                                                        \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src,                          \
                    const SCALAR& scalarValue, const int32_t& calCount, TWIN_HERE) {               \
        ::twin::vec::Shift(::twin::Opcode::API, ::twin::lanes::ShiftOp::OP, dst, src, scalarValue, \
                           ::twin::vec::Extent::Elements(calCount, isSetMask),                     \
                           UnaryRepeatParams(), here);                                             \
    }
#define TWIN_LEFT ::twin::lanes::ShiftOp::Left
#define TWIN_RIGHT roundEn ? ::twin::lanes::ShiftOp::RightRounded : ::twin::lanes::ShiftOp::Right
#define TWIN_ROUND() , bool roundEn
#define TWIN_ROUND_OR_NOT() , bool roundEn = false

TWIN_SHIFT(ShiftLeft, TWIN_SCALAR_OF_TENSOR, T, Left, TWIN_LEFT, TWIN_NOTHING)
TWIN_SHIFT(ShiftLeft, TWIN_SCALAR_NAMED, U, Left, TWIN_LEFT, TWIN_NOTHING)
TWIN_SHIFT(ShiftRight, TWIN_SCALAR_OF_TENSOR, T, Right, TWIN_RIGHT, TWIN_ROUND_OR_NOT)
TWIN_SHIFT(ShiftRight, TWIN_SCALAR_NAMED, U, Right, TWIN_RIGHT, TWIN_ROUND)

#undef TWIN_ROUND_OR_NOT
#undef TWIN_ROUND
#undef TWIN_RIGHT
#undef TWIN_LEFT
#undef TWIN_SHIFT

}  // namespace AscendC
