// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_SORT_SORT_TILING_INTF_H
#define TWIN_INCLUDE_LIB_SORT_SORT_TILING_INTF_H

#include <cstdint>

#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

/// Returns the bytes of scratch for Concat: none on A2 and A3.
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, uint32_t, uint32_t) {
    return 0;
}

/// Returns the bytes of scratch for Sort: a second list of 8-byte pairs.
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, uint32_t elemCount,
                               uint32_t dataTypeSize) {
    return elemCount * (dataTypeSize == sizeof(float) ? 2 : 4) * dataTypeSize;
}

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_SORT_SORT_TILING_INTF_H
