// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TYPES_CONSTANTS_H
#define TWIN_DEVICE_TYPES_CONSTANTS_H

#include "device/types/enums.h"

// Constants of the toolkit's library that public kernels use, with its types.

namespace AscendC {

constexpr uint8_t B16_BYTE_SIZE = 2;
constexpr uint8_t B32_BYTE_SIZE = 4;
constexpr uint8_t B16_DATA_NUM_PER_BLOCK = 16;
constexpr uint8_t B32_DATA_NUM_PER_BLOCK = 8;
constexpr int32_t B16_DATA_NUM_PER_REPEAT = 128;
constexpr int32_t B32_DATA_NUM_PER_REPEAT = 64;
constexpr uint32_t ONE_BLK_HALF_NUM = 16;
constexpr uint32_t ONE_BLK_FLOAT_NUM = 8;
constexpr uint32_t HALF_REPEAT_SIZE = 128;
constexpr uint32_t FLOAT_REPEAT_SIZE = 64;
constexpr int32_t ONE_BYTE_BIT_SIZE = 8;
constexpr uint32_t BRCB_BROADCAST_NUMBER = 8;
constexpr uint8_t DEFAULT_DATA_COPY_NBURST = 1;
constexpr uint8_t DEFAULT_DATA_COPY_STRIDE = 0;
constexpr uint8_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr uint8_t ONE_FOURTH_DEFAULT_REPEAT_STRIDE = 2;
constexpr int32_t HALF_FACTOR = 2;
constexpr uint8_t PAD_SIZE = 4;
constexpr int32_t K_MAX_DIM = 8;
constexpr uint64_t FULL_MASK = UINT64_MAX;
constexpr uint32_t F32_INF = 0x7F800000;
constexpr uint32_t F32_NEG_INF = 0xFF800000;

}  // namespace AscendC

#endif  // TWIN_DEVICE_TYPES_CONSTANTS_H
