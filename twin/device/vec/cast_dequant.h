// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/types/integer_helpers.h"
#include "device/vec/cast_deq.h"

// The newer name of CastDeq. It also converts int32_t to half, which is Cast with
// SetDeqScale(half).

namespace twin::vec {

template <typename T, typename U>
inline void CastDequant(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src,
                        const DeqForm& form, const Extent& extent,
                        const AscendC::UnaryRepeatParams& strides, Location where) {
    if constexpr (std::is_same<U, int32_t>::value && std::is_same<T, half>::value) {
        RunDequant(Opcode::CastDequant, Of(dst), Of(src), extent, strides, where);
    } else {
        CastDeq(dst, src, form, extent, strides, where);
    }
}

}  // namespace twin::vec

namespace AscendC {

template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true,
          bool halfBlock = true>
inline void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[],
                        const ::twin::Narrow8 repeatTime, const UnaryRepeatParams& repeatParams,
                        TWIN_HERE) {
    twin::vec::CastDequant(dst, src, twin::vec::DeqForm{isVecDeq, halfBlock},
                           twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams,
                           here);
}

template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true,
          bool halfBlock = true>
inline void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask,
                        const ::twin::Narrow8 repeatTime, const UnaryRepeatParams& repeatParams,
                        TWIN_HERE) {
    twin::vec::CastDequant(
        dst, src, twin::vec::DeqForm{isVecDeq, halfBlock},
        twin::vec::Extent::Mask(twin::vec::MaskCount(mask), repeatTime, isSetMask), repeatParams,
        here);
}

template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
inline void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count,
                        TWIN_HERE) {
    twin::vec::CastDequant(dst, src, twin::vec::DeqForm{isVecDeq, halfBlock},
                           twin::vec::Extent::Elements(count), UnaryRepeatParams(), here);
}

}  // namespace AscendC
