// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/types/parameters.h"

namespace AscendC {

/// blockLen and strides (gaps) count blocks of 32 B for DataCopy; for DataCopyPad, blockLen and the
/// GM stride count bytes.
TWIN_PARAMETERS(DataCopyParams, (uint16_t, blockCount, 1), (uint16_t, blockLen, 0),
                (uint16_t, srcStride, 0), (uint16_t, dstStride, 0))

/// blockLen is in bytes (0..2097151); the GM side's stride is in bytes, the UB side's in blocks of
/// 32 B; both are gaps.
TWIN_PARAMETERS(DataCopyExtParams, (uint16_t, blockCount, 1), (uint32_t, blockLen, 0),
                (uint32_t, srcStride, 0), (uint32_t, dstStride, 0), (uint32_t, rsv, 0))

/// Padding in elements, at most 32 B on each side.
TWIN_PARAMETERS(DataCopyPadParams, (bool, isPad, false), (uint8_t, leftPadding, 0),
                (uint8_t, rightPadding, 0), (uint64_t, paddingValue, 0))

template <typename T>
TWIN_PARAMETERS(DataCopyPadExtParams, (bool, isPad, false), (uint8_t, leftPadding, 0),
                (uint8_t, rightPadding, 0), (T, paddingValue, T()))

}  // namespace AscendC
