// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_CAST_DEQ_H
#define TWIN_DEVICE_VEC_CAST_DEQ_H

#include "device/types/narrow.h"
#include "device/vec/cast.h"
#include "device/vec/deq_scale.h"

namespace twin::vec {

/// How CastDeq finds its parameters, and the place of the 16 results of a block.
struct DeqForm {
    bool isVector;   ///< one set of parameters per element of a block, from the unified buffer
    bool upperHalf;  ///< results go to the last 16 bytes of each block, otherwise to the first
};

TWIN_API void RunCastDeq(Dtype to, const Operand& dst, const Operand& src, const DeqForm& form,
                         const Extent& extent, const AscendC::UnaryRepeatParams& strides,
                         Location where);

template <typename T, typename U>
inline void CastDeq(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src,
                    const DeqForm& form, const Extent& extent,
                    const AscendC::UnaryRepeatParams& strides, Location where) {
    static_assert(std::is_same<U, int16_t>::value && kOneOf<T, int8_t, uint8_t>,
                  "CastDeq: takes int16_t to int8_t or uint8_t");
    RunCastDeq(kDtypeOf<T>, Of(dst), Of(src), form, extent, strides, where);
}

inline uint64_t MaskCount(int32_t mask) { return static_cast<uint64_t>(mask < 0 ? 0 : mask); }

}  // namespace twin::vec

namespace AscendC {

/// dst = src * scale + offset, rounded to nearest even, saturated to 8 bits as the sign mode says;
/// parameters come from SetDeqScale. Each block of 16 results fills half a block of dst, the last
/// half if halfBlock is true; the other half keeps its bytes.
template <typename T1, typename T2, bool isSetMask = true, bool isVecDeq = true,
          bool halfBlock = true>
inline void CastDeq(const LocalTensor<T1>& dst, const LocalTensor<T2>& src, const uint64_t mask[],
                    const ::twin::Narrow8 repeatTime, const UnaryRepeatParams& repeatParams,
                    TWIN_HERE) {
    twin::vec::CastDeq(dst, src, twin::vec::DeqForm{isVecDeq, halfBlock},
                       twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams, here);
}

template <typename T1, typename T2, bool isSetMask = true, bool isVecDeq = true,
          bool halfBlock = true>
inline void CastDeq(const LocalTensor<T1>& dst, const LocalTensor<T2>& src, const int32_t mask,
                    const ::twin::Narrow8 repeatTime, const UnaryRepeatParams& repeatParams,
                    TWIN_HERE) {
    twin::vec::CastDeq(dst, src, twin::vec::DeqForm{isVecDeq, halfBlock},
                       twin::vec::Extent::Mask(twin::vec::MaskCount(mask), repeatTime, isSetMask),
                       repeatParams, here);
}

template <typename T1, typename T2, bool isVecDeq = true, bool halfBlock = true>
inline void CastDeq(const LocalTensor<T1>& dst, const LocalTensor<T2>& src, const uint32_t calCount,
                    TWIN_HERE) {
    twin::vec::CastDeq(dst, src, twin::vec::DeqForm{isVecDeq, halfBlock},
                       twin::vec::Extent::Elements(calCount), UnaryRepeatParams(), here);
}

}  // namespace AscendC

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

#endif  // TWIN_DEVICE_VEC_CAST_DEQ_H
