// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TYPES_ENUMS_H
#define TWIN_DEVICE_TYPES_ENUMS_H

#include <cstdint>

#include "core/core.h"
#include "core/hard_event.h"

// Enumerations and constants of the device API, in the namespaces and with the numbers of the
// 8.1.RC1 headers.

enum pipe_t {
    PIPE_S = 0,
    PIPE_V,
    PIPE_M,
    PIPE_MTE1,
    PIPE_MTE2,
    PIPE_MTE3,
    PIPE_ALL,
    PIPE_FIX = 10
};
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

enum class TPosition : uint8_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    C2PIPE2GM,
    C2PIPE2LOCAL,
    MAX
};
using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

enum class HardEvent : uint8_t {
    MTE2_MTE1,
    MTE1_MTE2,
    MTE1_M,
    M_MTE1,
    MTE2_V,
    V_MTE2,
    MTE3_V,
    V_MTE3,
    M_V,
    V_M,
    V_V,
    MTE3_MTE1,
    MTE1_MTE3,
    MTE1_V,
    MTE2_M,
    M_MTE2,
    V_MTE1,
    M_FIX,
    FIX_M,
    MTE3_MTE2,
    MTE2_MTE3,
    S_V,
    V_S,
    S_MTE2,
    MTE2_S,
    S_MTE3,
    MTE3_S,
    MTE2_FIX,
    FIX_MTE2,
    FIX_S,
    M_S,
    FIX_MTE3,
    MTE1_FIX,
    FIX_MTE1,
    FIX_FIX,
    MAX
};
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

enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC };

constexpr int32_t MIX = 0;
constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;

constexpr int32_t QUE_MAX_EVENT = 8;
constexpr int32_t QBUF_MAX_LEN = 64;
constexpr int32_t QBUFPOOL_MAX_LEN = 16;
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
constexpr int32_t BLOCK_CUBE = 16;
constexpr int32_t TOTAL_L1_SIZE = 524288 - 128;
constexpr int32_t TOTAL_L0A_SIZE = 65536;
constexpr int32_t TOTAL_L0B_SIZE = 65536;
constexpr int32_t TOTAL_L0C_SIZE = 131072;
constexpr int32_t TOTAL_UB_SIZE = 196608;
constexpr int32_t TMP_UB_OFFSET = 188416;
constexpr int32_t TOTAL_VEC_LOCAL_SIZE = 188416;
constexpr uint16_t ONE_BLK_SIZE = 32;
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

/// The memory of a logical position on this chip.
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

}  // namespace AscendC

#endif  // TWIN_DEVICE_TYPES_ENUMS_H
