// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_SHIFT_H
#define TWIN_DEVICE_VEC_SHIFT_H

#include "device/vec/fused.h"

namespace twin::vec {

template <typename T>
inline void Shift(const char* api, lanes::ShiftOp op, const AscendC::LocalTensor<T>& dst,
                  const AscendC::LocalTensor<T>& src, T distance, const Extent& extent,
                  const AscendC::UnaryRepeatParams& strides, Location where) {
    static_assert(kOneOf<T, int16_t, uint16_t, int32_t, uint32_t>,
                  "ShiftLeft and ShiftRight: this type is not supported on A2/A3; they take "
                  "int16_t, uint16_t, int32_t, uint32_t");
    RunShift(api, op, kDtypeOf<T>, Of(dst), Of(src), static_cast<int64_t>(distance), extent,
             strides, where);
}

}  // namespace twin::vec

#endif  // TWIN_DEVICE_VEC_SHIFT_H
