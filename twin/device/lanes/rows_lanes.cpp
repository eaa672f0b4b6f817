// SPDX-License-Identifier: Apache-2.0
// This file is compiled once per instruction set; see arithmetic_lanes.cpp.
#include <cstdint>

#include "core/float16.h"
#include "device/lanes/reduce.h"

namespace {

using twin::lanes::RowTable;

constexpr size_t kLanes = 64;
constexpr uint32_t kQuietNan = 0x7FC00000U;  // hosts return different NaN for NaN + NaN
constexpr uint32_t kMinusInfinity = 0xFF800000U;

float Sum(const float* row, size_t count) {
    float lanes[kLanes] = {};
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (size_t k = 0; k < kLanes; ++k) {
            lanes[k] += row[i + k];
        }
    }
    for (size_t k = 0; k < count - i; ++k) {
        lanes[k] += row[i + k];
    }
    for (size_t width = kLanes / 2; width > 0; width /= 2) {
        for (size_t k = 0; k < width; ++k) {
            lanes[k] = lanes[2 * k] + lanes[2 * k + 1];
        }
    }
    return lanes[0] == lanes[0] ? lanes[0] : twin::FloatOf(kQuietNan);
}

float Max(const float* row, size_t count) {
    alignas(64) float lanes[kLanes];
    uint32_t nan[kLanes] = {};
    for (float& lane : lanes) {
        lane = twin::FloatOf(kMinusInfinity);
    }
    const auto take = [&](size_t k, float x) {
        lanes[k] = x > lanes[k] ? x : lanes[k];
        nan[k] |= x != x ? 1U : 0U;
    };
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (size_t k = 0; k < kLanes; ++k) {
            take(k, row[i + k]);
        }
    }
    for (size_t k = 0; k < count - i; ++k) {
        take(k, row[i + k]);
    }
    float best = lanes[0];
    uint32_t any = nan[0];
    for (size_t k = 1; k < kLanes; ++k) {
        best = lanes[k] > best ? lanes[k] : best;
        any |= nan[k];
    }
    return any != 0 ? twin::FloatOf(kQuietNan) : best;
}

}  // namespace

TWIN_LANES_TABLE(RowTable, RowLanes, {Sum, Max})
