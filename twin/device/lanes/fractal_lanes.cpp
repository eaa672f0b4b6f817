// SPDX-License-Identifier: Apache-2.0
// This file is compiled once per instruction set, like arithmetic_lanes.cpp: all helpers have
// internal linkage.
#include "device/lanes/fractal.h"
#include "device/lanes/select.h"
#include "device/lanes/shuffle.h"

namespace {

constexpr size_t kFractalBytes = 512;

void Turn16(uint8_t* dst, size_t, const uint8_t* src) {
    alignas(16) uint8_t turned[kFractalBytes];
    TransposeBlock<uint16_t, 16, 16>(turned, 32, src, 32);
    std::memcpy(dst, turned, kFractalBytes);
}

/// The left and the right fractal have rows of 8 elements; so have the results.
void Turn32(uint8_t* dst, size_t gap, const uint8_t* src) {
    alignas(16) uint8_t turned[2][kFractalBytes];
    for (uint32_t side = 0; side < 2; ++side) {
        // Columns of this source fractal are rows 8 * side .. 8 * side + 7 of both results.
        const uint8_t* from = src + side * kFractalBytes;
        for (uint32_t half = 0; half < 2; ++half) {
            TransposeBlock<uint32_t, 8, 8>(turned[half] + side * 256, 32, from + half * 256, 32);
        }
    }
    std::memcpy(dst, turned[0], kFractalBytes);
    std::memcpy(dst + gap, turned[1], kFractalBytes);
}

void Turn8(uint8_t* dst, size_t gap, const uint8_t* src) {
    alignas(16) uint8_t turned[2][kFractalBytes];
    TransposeBlock<uint8_t, 32, 32>(turned, 32, src, 32);
    std::memcpy(dst, turned[0], kFractalBytes);
    std::memcpy(dst + gap, turned[1], kFractalBytes);
}

void Turn4(uint8_t* dst, size_t gap, const uint8_t* src) {
    constexpr uint32_t kSide = 64;
    alignas(16) uint8_t bytes[kSide * kSide];
    alignas(16) uint8_t turned[kSide * kSide];
    for (uint32_t i = 0; i < kSide * kSide / 2; ++i) {
        bytes[2 * i] = src[i] & 15U;
        bytes[2 * i + 1] = static_cast<uint8_t>(src[i] >> 4);
    }
    TransposeBlock<uint8_t, kSide, kSide>(turned, kSide, bytes, kSide);
    for (uint32_t fractal = 0; fractal < 4; ++fractal) {
        const uint8_t* from = turned + fractal * 2 * kFractalBytes;
        alignas(64) uint8_t packed[kFractalBytes];
        for (uint32_t i = 0; i < kFractalBytes; ++i) {
            packed[i] = static_cast<uint8_t>(from[2 * i] | from[2 * i + 1] << 4);
        }
        std::memcpy(dst + fractal * gap, packed, kFractalBytes);
    }
}

}  // namespace

namespace twin::lanes::TWIN_LANES_ISA {

const FractalTable& FractalLanes() {
    static const FractalTable table = {Turn4, Turn8, Turn16, Turn32};
    return table;
}

}  // namespace twin::lanes::TWIN_LANES_ISA
