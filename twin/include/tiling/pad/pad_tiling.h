// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_PAD_PAD_TILING_H
#define TILING_PAD_PAD_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "kernel_tiling/pad_tilings.h"
#include "register/plain_tiling.h"
#include "tiling/pad/pad_tilingdata.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

/// Finds the minimum and the most useful bytes of scratch for rows and columns of `srcShape`.
void GetPadMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                         uint32_t& minValue);
/// Fills `tiling` for rows of `srcShape`, of which `oriSrcShape` is valid.
void PadTilingFunc(const ge::Shape srcShape, const ge::Shape oriSrcShape,
                   const uint32_t stackBufferSize, const uint32_t typeSize,
                   optiling::PadTiling& tiling);
/// UnPad needs no scratch.
void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                           const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                           uint32_t& minValue);
void UnPadTilingFunc(const ge::Shape srcShape, const uint32_t stackBufferSize,
                     const uint32_t typeSize, optiling::UnPadTiling& tiling);

// The same functions for the plain structs of kernels; a kernel's own translation unit has only
// these structs.
#ifndef TWIN_KERNEL_NAME
inline void PadTilingFunc(const ge::Shape srcShape, const ge::Shape oriSrcShape,
                          const uint32_t stackBufferSize, const uint32_t typeSize,
                          ::PadTiling& tiling) {
    twin::FillPlain<optiling::PadTiling>(tiling, [&](optiling::PadTiling& host) {
        PadTilingFunc(srcShape, oriSrcShape, stackBufferSize, typeSize, host);
        return true;
    });
}
inline void UnPadTilingFunc(const ge::Shape srcShape, const uint32_t stackBufferSize,
                            const uint32_t typeSize, ::UnPadTiling& tiling) {
    twin::FillPlain<optiling::UnPadTiling>(tiling, [&](optiling::UnPadTiling& host) {
        UnPadTilingFunc(srcShape, stackBufferSize, typeSize, host);
        return true;
    });
}
#endif

}  // namespace AscendC

#endif  // TILING_PAD_PAD_TILING_H
