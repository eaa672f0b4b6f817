// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_GATHER_GATHERB_H
#define TWIN_DEVICE_GATHER_GATHERB_H

#include "device/gather/selection.h"
#include "device/types/narrow.h"

namespace AscendC {

/// Sets block i of dst to the 32 B that are offset[i] bytes after the start of src; eight blocks
/// per repeat.
template <typename T>
inline void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                    const LocalTensor<uint32_t>& offset, const ::twin::Narrow8 repeatTime,
                    const GatherRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Gatherb, T, uint16_t, uint32_t);
    twin::gather::RunGatherb(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src0), twin::Of(offset),
                             repeatTime, repeatParams, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_GATHER_GATHERB_H
