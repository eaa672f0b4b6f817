// SPDX-License-Identifier: Apache-2.0
// This file is compiled once per instruction set; see arithmetic_lanes.cpp.
#include "device/lanes/arithmetic.h"
#include "device/lanes/convert.h"
#include "device/lanes/reduce.h"

namespace {

using twin::lanes::QuantColumns;
using twin::lanes::QuantTable;

constexpr size_t kChunk = 256;

/// Converts integers to floats. If the shift is not 0, first shifts right and saturates to 16 bits.
void WidenShifted(float* dst, const int32_t* src, const int32_t* shift, size_t count) {
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        const int32_t moved = src[i] >> shift[i];
        const int32_t cut = moved > 32767 ? 32767 : (moved < -32768 ? -32768 : moved);
        dst[i] = static_cast<float>(shift[i] != 0 ? cut : src[i]);
    }
}

void Scale(float* values, const float* src, const QuantColumns& columns, size_t first,
           size_t count) {
    const float* up = columns.scale + first;
    const float* down = columns.negative + first;
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        values[i] = src[i] * (src[i] < 0.0F ? down[i] : up[i]);
    }
}

void ToBytes(uint8_t* dst, const float* values, const QuantColumns& columns, size_t first,
             size_t count) {
    const float* offset = columns.offset + first;
    const float* low = columns.low + first;
    const float* high = columns.high + first;
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        const float whole = __builtin_rintf(values[i]);
        const float nine = whole > -256.0F ? (whole < 255.0F ? whole : 255.0F) : -256.0F;
        const float moved = (values[i] != values[i] ? 0.0F : nine) + offset[i];
        const float bounded = moved > low[i] ? (moved < high[i] ? moved : high[i]) : low[i];
        dst[i] = static_cast<uint8_t>(static_cast<int32_t>(bounded));
    }
}

template <typename To, typename From>
void Convert(void* dst, const void* src, const QuantColumns& columns, size_t count) {
    alignas(64) float values[kChunk];
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t n = count - done < kChunk ? count - done : kChunk;
        const From* from = static_cast<const From*>(src) + done;
        To* to = static_cast<To*>(dst) + done;
        if constexpr (std::is_same<From, int32_t>::value) {
            WidenShifted(values, from, columns.shift + done, n);
            Scale(values, values, columns, done, n);
        } else {
            Scale(values, from, columns, done, n);
        }
        if constexpr (std::is_same<To, F16>::value) {
            NarrowHalf(to, values, n);
        } else {
            ToBytes(to, values, columns, done, n);
        }
    }
}

}  // namespace

TWIN_LANES_TABLE(QuantTable, QuantLanes,
                 {Convert<uint8_t, int32_t>, Convert<uint8_t, float>, Convert<F16, int32_t>})
