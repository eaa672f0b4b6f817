// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_FILL_BRCB_H
#define TWIN_DEVICE_FILL_BRCB_H

#include "device/fill/patterns.h"
#include "device/types/narrow.h"

namespace AscendC {

/// Each repeat spreads the next eight elements of src0 over a block of 32 B each.
template <typename T>
inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                 const ::twin::Narrow8 repeatTime, const BrcbRepeatParams& repeatParams,
                 TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Brcb, T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
    twin::fill::RunBrcb(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src0), repeatTime, repeatParams,
                        here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_FILL_BRCB_H
