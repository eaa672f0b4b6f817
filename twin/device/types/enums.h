// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/core.h"
#include "core/types.h"
#include "device/types/data_format.h"
#include "kernel_tiling/cube_tiling.h"

// Enumerations and constants of the device API and the toolkit's library. Namespaces, types and
// numbers are those of the 8.1.RC1 headers.

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_FIX = 10 };
enum event_t {
    EVENT_ID0 = 0,
    EVENT_ID1,
    EVENT_ID2,
    EVENT_ID3,
    EVENT_ID4,
    EVENT_ID5,
    EVENT_ID6,
    EVENT_ID7
};
enum KernelMetaType {
    KERNEL_TYPE_AIV_ONLY = 0,
    KERNEL_TYPE_AIC_ONLY,
    KERNEL_TYPE_MIX_AIV_1_0,
    KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1,
    KERNEL_TYPE_MIX_AIC_1_2,
    KERNEL_TYPE_AICORE,
    KERNEL_TYPE_VECTORCORE,
    KERNEL_TYPE_MIX_AICORE,
    KERNEL_TYPE_MIX_VECTOR_CORE,
    KERNEL_TYPE_MAX
};

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

enum class TPosition : uint8_t { TWIN_POSITIONS, C2PIPE2GM, C2PIPE2LOCAL, MAX };
using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

#define TWIN_HARD_EVENT(NAME, ...) NAME,
enum class HardEvent : uint8_t { TWIN_HARD_EVENTS(TWIN_HARD_EVENT) MAX };
#undef TWIN_HARD_EVENT
static_assert(static_cast<uint32_t>(HardEvent::MAX) == twin::kHardEvents,
              "one row of EventInfo per event");

enum class RoundMode : uint8_t {
    CAST_NONE = 0,
    CAST_RINT,
    CAST_FLOOR,
    CAST_CEIL,
    CAST_ROUND,
    CAST_TRUNC,
    CAST_ODD
};
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class MemDsbT : uint8_t { ALL = 0, DDR, UB, SEQ };
enum class CacheMode {
    CACHE_MODE_DISABLE = 0,
    CACHE_MODE_NORMAL = 1,
    CACHE_MODE_LAST = 2,
    CACHE_MODE_PERSISTENT = 4
};
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };

constexpr int32_t MIX = 0;
constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;

constexpr int32_t QUE_MAX_EVENT = 8;
constexpr int32_t QBUF_MAX_LEN = 64;
constexpr int32_t QBUFPOOL_MAX_LEN = 16;
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
#ifndef TWIN_BLOCK_SIZES  // the headers for tiling have the same numbers with other types
#define TWIN_BLOCK_SIZES
constexpr int32_t BLOCK_CUBE = 16;
constexpr uint16_t ONE_BLK_SIZE = 32;
#endif
constexpr int32_t TOTAL_L1_SIZE = 524288 - 128;
constexpr int32_t TOTAL_L0A_SIZE = 65536;
constexpr int32_t TOTAL_L0B_SIZE = 65536;
constexpr int32_t TOTAL_L0C_SIZE = 131072;
constexpr int32_t TOTAL_UB_SIZE = 196608;
constexpr int32_t TMP_UB_OFFSET = 188416;
constexpr int32_t TOTAL_VEC_LOCAL_SIZE = 188416;
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr uint8_t DEFAULT_BLK_STRIDE = 1;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr int32_t CACHE_LINE_SIZE = 64;
constexpr uint64_t RESERVED_WORKSPACE = 16U << 20;
constexpr uint64_t MASK_PLACEHOLDER = 0;

using TEventID = int8_t;
using TBufHandle = uint8_t*;
using TTagType = int32_t;
constexpr TEventID INVALID_TEVENTID = -1;

/// Returns the memory of a logical position on A2 and A3.
__attribute__((always_inline)) constexpr Hardware GetPhyType(TPosition position) {
    switch (position) {
        case TPosition::VECIN:
        case TPosition::VECOUT:
        case TPosition::VECCALC:
            return Hardware::UB;
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
        case TPosition::TSCM:
        case TPosition::SHM:
            return Hardware::L1;
        case TPosition::A2:
            return Hardware::L0A;
        case TPosition::B2:
            return Hardware::L0B;
        case TPosition::C2:
            return Hardware::BIAS;
        case TPosition::CO1:
            return Hardware::L0C;
        case TPosition::C2PIPE2GM:
            return Hardware::FIXBUF;
        default:
            return Hardware::GM;
    }
}

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };

enum class SELMODE : uint8_t {
    VSEL_CMPMASK_SPR = 0,     ///< every repeat uses the same mask bits
    VSEL_TENSOR_SCALAR_MODE,  ///< each repeat uses the next mask bits; a bit 0 selects the scalar
    VSEL_TENSOR_TENSOR_MODE   ///< each repeat uses the next mask bits; a bit 0 selects src1
};

}  // namespace AscendC
