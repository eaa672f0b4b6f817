// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_GM_ACCESS_H
#define TWIN_DEVICE_DATA_COPY_GM_ACCESS_H

#include <cstdint>

#include "core/core.h"
#include "device/issue/operand.h"

// Helpers that all copies from and to global memory use.

namespace twin::copy {

/// Refuses a number of elements that was computed below 0.
void CheckCount(const char* api, uint64_t bytes, uint32_t elementBytes);
/// Drops the tail that the chip drops, or refuses it.
uint64_t WholeBlocks(const Core& core, const char* api, uint64_t bytes, uint32_t elementBytes);

}  // namespace twin::copy

#endif  // TWIN_DEVICE_DATA_COPY_GM_ACCESS_H
