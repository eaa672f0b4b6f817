// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SORT_PAIRS_H
#define TWIN_DEVICE_SORT_PAIRS_H

#include <cstring>

#include "device/tensor/operand.h"

namespace twin::sort {

/// Converts a score to an integer with the same order. Zeros of either sign are equal, NaN is the
/// largest.
inline int32_t KeyOf(const uint8_t* score, Dtype dtype) {
    uint32_t bits = 0;
    std::memcpy(&bits, score, SizeOf(dtype));
    bits = dtype == Dtype::F16 ? bits << 16 : bits;
    const uint32_t infinity = dtype == Dtype::F16 ? 0x7C000000U : 0x7F800000U;
    const uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > infinity) {
        return INT32_MAX;
    }
    const auto key = static_cast<int32_t>(magnitude);
    return (bits >> 31) != 0 ? -key : key;
}

}  // namespace twin::sort

#endif  // TWIN_DEVICE_SORT_PAIRS_H
