// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LIBRARY_ROW_SCRATCH_H
#define TWIN_DEVICE_LIBRARY_ROW_SCRATCH_H

#include <cstdint>

#include "core/export.h"

// Bytes of scratch, for the checks of the device and for the host's functions.
namespace twin::reduce {

/// For a row of n elements.
TWIN_API uint32_t SumScratch(uint32_t n, uint32_t typeSize);
TWIN_API uint32_t MeanScratch(uint32_t n, uint32_t typeSize, uint32_t accTypeSize);
TWIN_API uint32_t XorSumScratch(uint32_t elements, uint32_t typeSize, bool reuse);

}  // namespace twin::reduce

namespace twin::compare {

/// SelectWithBytesMask; `least` is for the smallest pieces.
TWIN_API uint32_t ByteChoiceScratch(uint32_t elements, uint32_t maskSize, bool packsMask,
                                    bool least);

}  // namespace twin::compare

#endif  // TWIN_DEVICE_LIBRARY_ROW_SCRATCH_H
