// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SORT_TOPK_TILING_H
#define TWIN_DEVICE_SORT_TOPK_TILING_H

#include <cstdint>

#include "core/export.h"
#include "kernel_tiling/advanced_tilings.h"

namespace twin::sort {

/// The parameters of one TopK that its tiling needs.
struct TopkShape {
    int32_t inner;
    int32_t outter;
    int32_t k;
    uint32_t typeSize;
    bool initIndex;
    bool small;
    bool largest;
};

TWIN_API TopkTiling MakeTopkTiling(const TopkShape& shape);
/// Bytes of scratch that are enough for both types, as the host's function promises.
TWIN_API uint32_t TopkScratch(const TopkShape& shape);

}  // namespace twin::sort

#endif  // TWIN_DEVICE_SORT_TOPK_TILING_H
