// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_PAD_PAD_H
#define TWIN_DEVICE_PAD_PAD_H

#include "device/pad/pad_params.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/pad_tilings.h"

#define TWIN_REFUSE_PAD_DTYPE(API) \
    TWIN_REFUSE_DTYPE(API, T, int16_t, uint16_t, half, int32_t, uint32_t, float)

namespace AscendC {

/// Pads rows to a multiple of 32 B: adds columns on both sides. If rows are already aligned, it
/// sets the columns after srcOriWidth.
template <typename T>
inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                PadParams& padParams, const LocalTensor<uint8_t>& sharedTmpBuffer,
                PadTiling& tiling, TWIN_HERE) {
    TWIN_REFUSE_PAD_DTYPE(Pad);
    const T value = static_cast<T>(padParams.padValue);
    twin::advanced::RunPad(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(srcTensor), padParams,
                           &value, {tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth},
                           sharedTmpBuffer, here);
}
template <typename T>
inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                PadParams& padParams, PadTiling& tiling, TWIN_HERE) {
    TWIN_REFUSE_PAD_DTYPE(Pad);
    const T value = static_cast<T>(padParams.padValue);
    twin::advanced::RunPad(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(srcTensor), padParams,
                           &value, {tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth}, {},
                           here);
}

/// Removes the last rightPad columns of the rows and packs them. Needs no scratch on this chip.
template <typename T>
inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                  UnPadParams& unPadParams, LocalTensor<uint8_t>& /*sharedTmpBuffer*/,
                  UnPadTiling& tiling, TWIN_HERE) {
    TWIN_REFUSE_PAD_DTYPE(UnPad);
    twin::advanced::RunUnPad(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(srcTensor),
                             unPadParams, {tiling.srcHeight, tiling.srcWidth, tiling.srcWidth},
                             here);
}
template <typename T>
inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                  UnPadParams& unPadParams, UnPadTiling& tiling, TWIN_HERE) {
    TWIN_REFUSE_PAD_DTYPE(UnPad);
    twin::advanced::RunUnPad(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(srcTensor),
                             unPadParams, {tiling.srcHeight, tiling.srcWidth, tiling.srcWidth},
                             here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_PAD_PAD_H
