// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_ADVANCED_TMP_SIZE_H
#define TWIN_DEVICE_ADVANCED_TMP_SIZE_H

// Bytes of scratch that advanced calls take: one set of rules for the host's Get...MaxMinTmpSize
// functions and for the checks of the device.

#include <cstdint>

#include "core/export.h"

namespace twin::advanced {

/// The least that the host's functions promise to work, and the most that is of any use.
struct TmpSize {
    uint64_t max = 0;
    uint64_t min = 0;
};

/// What a broadcast of bytes takes for its operands as half; 0 for other types.
TWIN_API uint64_t BroadcastCasts(uint32_t typeSize, uint64_t srcElements, uint64_t dstElements);
/// From [rows, 1], [1, columns] or one element to [rows, columns].
TWIN_API TmpSize BroadcastTmp(uint32_t typeSize, uint64_t srcElements, uint64_t rows,
                              uint64_t columns);

}  // namespace twin::advanced

#endif  // TWIN_DEVICE_ADVANCED_TMP_SIZE_H
