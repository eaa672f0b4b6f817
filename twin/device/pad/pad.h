// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/types/parameters.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace AscendC {

/// Number of columns to add on either side, and their value.
TWIN_PARAMETERS(PadParams, (uint16_t, leftPad, 0), (uint16_t, rightPad, 0), (int32_t, padValue, 0))

/// Number of columns to remove; the library reads only rightPad.
TWIN_PARAMETERS(UnPadParams, (uint16_t, leftPad, 0), (uint16_t, rightPad, 0))

}  // namespace AscendC

namespace twin::advanced {

/// The fields of the host's tiling that the calls use.
struct PadRows {
    uint32_t srcHeight;
    uint32_t srcWidth;
    uint32_t srcOriWidth;  ///< columns that hold data
};

/// `value` points to one element of the type.
TWIN_API void RunPad(Dtype dtype, const Operand& dst, const Operand& src,
                     const AscendC::PadParams& params, const void* value, const PadRows& tiling,
                     const Tmp& tmp, Location where);
TWIN_API void RunUnPad(Dtype dtype, const Operand& dst, const Operand& src,
                       const AscendC::UnPadParams& params, const PadRows& tiling, Location where);

}  // namespace twin::advanced

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
