// SPDX-License-Identifier: Apache-2.0
#include "device/advanced/tmp_size.h"

#include "core/types.h"
#include "device/advanced/call.h"

namespace twin::advanced {

uint64_t BroadcastCasts(uint32_t typeSize, uint64_t srcElements, uint64_t dstElements) {
    return typeSize == 1 ? (RoundUp(srcElements, 16) + RoundUp(dstElements, 16)) * 2 : 0;
}

TmpSize BroadcastTmp(uint32_t typeSize, uint64_t srcElements, uint64_t rows, uint64_t columns) {
    const uint64_t casts = BroadcastCasts(typeSize, srcElements, rows * columns);
    const uint64_t size = typeSize == 1 ? 2 : typeSize;
    if (srcElements == rows * columns || srcElements == 1) {
        return {casts, casts};
    }
    const uint64_t perBlock = kBlockBytes / size;
    const uint64_t rowBytes = RoundUp(columns, perBlock) * size;
    TmpSize need = {RoundUp(rows, 8) * kBlockBytes + casts, perBlock * kBlockBytes + casts};
    if (columns % perBlock != 0) {  // rows are trimmed after the copy
        need.max += rows * rowBytes;
        need.min += perBlock * rowBytes;
    }
    return need;
}

}  // namespace twin::advanced
