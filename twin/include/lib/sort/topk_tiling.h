// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_SORT_TOPK_TILING_H
#define TWIN_INCLUDE_LIB_SORT_TOPK_TILING_H

#include <cstdint>

#include "kernel_tiling/topk_mode.h"
#include "lib/sort/topk_tilingdata.h"
#include "register/plain_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

// The tiling of TopK.

bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, int32_t inner,
                          int32_t outter, bool isReuseSource, bool isInitIndex, TopKMode mode,
                          bool isLargest, uint32_t dataTypeSize, uint32_t& maxValue,
                          uint32_t& minValue);
bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& ascendcPlatform, int32_t inner,
                    int32_t outter, int32_t k, uint32_t dataTypeSize, bool isInitIndex,
                    TopKMode mode, bool isLargest, optiling::TopkTiling& topKTiling);

// The same functions for the plain structs of kernels; a kernel's own translation unit has only
// these structs.
#ifndef TWIN_KERNEL_NAME
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& ascendcPlatform, int32_t inner,
                           int32_t outter, int32_t k, uint32_t dataTypeSize, bool isInitIndex,
                           TopKMode mode, bool isLargest, ::TopkTiling& topKTiling) {
    return twin::FillPlain<optiling::TopkTiling>(topKTiling, [&](optiling::TopkTiling& host) {
        return TopKTilingFunc(ascendcPlatform, inner, outter, k, dataTypeSize, isInitIndex, mode,
                              isLargest, host);
    });
}
#endif

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_SORT_TOPK_TILING_H
