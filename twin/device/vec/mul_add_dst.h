// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_MUL_ADD_DST_H
#define TWIN_DEVICE_VEC_MUL_ADD_DST_H

#include "device/types/narrow.h"
#include "device/vec/fused.h"

namespace twin::vec {

template <typename T, typename U>
inline void MulAddDst(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src0,
                      const AscendC::LocalTensor<U>& src1, const Extent& extent,
                      const AscendC::BinaryRepeatParams& strides, Location where) {
    constexpr bool kSame = std::is_same<T, U>::value && kOneOf<T, half, float>;
    constexpr bool kWidening = std::is_same<T, float>::value && std::is_same<U, half>::value;
    static_assert(kSame || kWidening,
                  "MulAddDst: takes half, float, or half sources with a float destination");
    if constexpr (kSame) {
        RunFused("MulAddDst", lanes::FusedOp::MulAddDst, kDtypeOf<T>, Of(dst), Of(src0), Of(src1),
                 extent, strides, where);
    } else {
        RunMixed("MulAddDst", lanes::MixedOp::MulAddDst, kDtypeOf<T>, kDtypeOf<U>, Of(dst),
                 Of(src0), Of(src1), extent, strides, where);
    }
}

}  // namespace twin::vec

namespace AscendC {

/// dst += src0 * src1; product and sum are each rounded to dst's type. With a float destination and
/// half sources a repeat has 64 elements.
template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                      const LocalTensor<U>& src1, const uint64_t mask[],
                      const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                      TWIN_HERE) {
    twin::vec::MulAddDst(dst, src0, src1, twin::vec::Extent::Mask(mask, repeatTime, isSetMask),
                         repeatParams, here);
}

template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                      const LocalTensor<U>& src1, uint64_t mask, const ::twin::Narrow8 repeatTime,
                      const BinaryRepeatParams& repeatParams, TWIN_HERE) {
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

#endif  // TWIN_DEVICE_VEC_MUL_ADD_DST_H
