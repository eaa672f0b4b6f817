// SPDX-License-Identifier: Apache-2.0
#pragma once

// Conversions of the toolkit's C API, asc_<from>2<to>. The end of a name is the rounding: to the
// nearest, with ties to even (rn) or away from zero (rna), down (rd), up (ru), towards zero (rz) or
// to odd (ro). Without it, the types decide (CAST_NONE).
#include "device/c_api/vector.h"
#include "device/vec/cast.h"

#define TWIN_C_CAST(NAME, D, S, MODE)                                                              \
    inline void NAME(D* dst, S* src, uint32_t count, TWIN_HERE) {                                  \
        AscendC::Cast(TWIN_C_AT(dst, NAME), TWIN_C_AT(src, NAME), AscendC::RoundMode::MODE, count, \
                      here);                                                                       \
    }                                                                                              \
    inline void NAME##_sync(D* dst, S* src, uint32_t count, TWIN_HERE)                             \
        TWIN_C_FINISH(NAME(dst, src, count, here)) inline void                                     \
        NAME(D* dst, S* src, uint8_t repeat, uint16_t dst_block_stride, uint16_t src_block_stride, \
             uint16_t dst_repeat_stride, uint16_t src_repeat_stride, TWIN_HERE) {                  \
        const AscendC::UnaryRepeatParams strides(dst_block_stride, src_block_stride,               \
                                                 static_cast<uint8_t>(dst_repeat_stride),          \
                                                 static_cast<uint8_t>(src_repeat_stride));         \
        AscendC::Cast<D, S, false>(TWIN_C_AT(dst, NAME), TWIN_C_AT(src, NAME),                     \
                                   AscendC::RoundMode::MODE, ::twin::capi::kMaskRegister, repeat,  \
                                   strides, here);                                                 \
    }
#define TWIN_C_CASTS(NAME, D, S)              \
    TWIN_C_CAST(NAME##_rn, D, S, CAST_RINT)   \
    TWIN_C_CAST(NAME##_rna, D, S, CAST_ROUND) \
    TWIN_C_CAST(NAME##_rd, D, S, CAST_FLOOR)  \
    TWIN_C_CAST(NAME##_ru, D, S, CAST_CEIL)   \
    TWIN_C_CAST(NAME##_rz, D, S, CAST_TRUNC)

// clang-format off
TWIN_C_CAST(asc_half2float, float, half, CAST_NONE)
TWIN_C_CAST(asc_bfloat162float, float, bfloat16_t, CAST_NONE)
TWIN_C_CAST(asc_float2half, half, float, CAST_NONE)
TWIN_C_CASTS(asc_float2half, half, float)
TWIN_C_CAST(asc_float2half_ro, half, float, CAST_ODD)
TWIN_C_CASTS(asc_float2bfloat16, bfloat16_t, float)
TWIN_C_CASTS(asc_float2float, float, float)
TWIN_C_CASTS(asc_float2int16, int16_t, float)
TWIN_C_CASTS(asc_float2int32, int32_t, float)
TWIN_C_CASTS(asc_float2int64, int64_t, float)
TWIN_C_CASTS(asc_bfloat162int32, int32_t, bfloat16_t)
TWIN_C_CASTS(asc_half2int16, int16_t, half)
TWIN_C_CASTS(asc_half2int32, int32_t, half)
TWIN_C_CAST(asc_half2int8, int8_t, half, CAST_NONE)
TWIN_C_CASTS(asc_half2int8, int8_t, half)
TWIN_C_CAST(asc_half2uint8, uint8_t, half, CAST_NONE)
TWIN_C_CASTS(asc_half2uint8, uint8_t, half)
TWIN_C_CAST(asc_int82half, half, int8_t, CAST_NONE)
TWIN_C_CAST(asc_uint82half, half, uint8_t, CAST_NONE)
TWIN_C_CAST(asc_int162half, half, int16_t, CAST_NONE)
TWIN_C_CASTS(asc_int162half, half, int16_t)
TWIN_C_CAST(asc_int162float, float, int16_t, CAST_NONE)
TWIN_C_CAST(asc_int322float, float, int32_t, CAST_NONE)
TWIN_C_CASTS(asc_int322float, float, int32_t)
TWIN_C_CAST(asc_int322int16, int16_t, int32_t, CAST_NONE)
TWIN_C_CAST(asc_int322int64, int64_t, int32_t, CAST_NONE)
TWIN_C_CAST(asc_int642int32, int32_t, int64_t, CAST_NONE)
TWIN_C_CASTS(asc_int642float, float, int64_t)
// clang-format on
