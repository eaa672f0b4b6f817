// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_ENGINE_H
#define TWIN_DEVICE_CUBE_ENGINE_H

#include <algorithm>
#include <cstdint>

#include "core/core.h"
#include "device/tensor/operand.h"

namespace twin::cube {

constexpr uint32_t kSide = 16;           ///< rows of a fractal, and columns of one in L0C
constexpr uint32_t kRowBytes = 32;       ///< a row of a fractal in L1, L0A and L0B
constexpr uint32_t kFractalBytes = 512;  ///< of L1, L0A and L0B
constexpr uint32_t kCellBytes = 1024;    ///< a fractal of L0C: 16 x 16 of 4 B
constexpr uint32_t kMaxDimension = 4095;

constexpr uint64_t CeilDiv(uint64_t value, uint64_t by) { return (value + by - 1) / by; }
constexpr uint64_t Align(uint64_t value, uint64_t to) { return CeilDiv(value, to) * to; }

/// Elements in a row of a fractal (C0): 64 for int4_t.
inline uint32_t RowElements(Dtype dtype) {
    return dtype == Dtype::I4 ? 2 * kRowBytes : kRowBytes / SizeOf(dtype);
}

/// CheckLocalOperand for L0A, L0B and L0C: instructions move whole fractals, so that kernels which
/// declare tensors by the numbers that count are right as long as no other buffer is touched.
inline uint8_t* CheckFractals(Core& core, const Operand& operand, Memory memory, uint64_t bytes,
                              uint32_t alignment, const char* api, const char* name) {
    Operand whole = operand;
    if (bytes > operand.bytes && operand.bytes != 0 && MemoryOf(operand.position) == memory) {
        const BufferRecord* next = core.FindBuffer(memory, operand.address + bytes - 1);
        const bool same = next == nullptr || next == core.FindBuffer(memory, operand.address);
        whole.bytes = same ? static_cast<uint32_t>(bytes) : operand.bytes;
    }
    return CheckLocalOperand(core, whole, memory, bytes, alignment, api, name);
}

/// Refuses a parameter outside [low, high].
inline void CheckRange(const char* api, const char* name, uint64_t value, uint64_t low,
                       uint64_t high) {
    if (__builtin_expect(value < low || value > high, 0)) {
        Fail("T450", "parameter out of range: %s with %s %llu, expected %llu to %llu", api, name,
             static_cast<unsigned long long>(value), static_cast<unsigned long long>(low),
             static_cast<unsigned long long>(high));
    }
}

/// Runs of bytes in a local memory, for a record.
inline LegacyRange LocalRuns(Core& core, const Operand& operand, uint64_t bytes, uint64_t count,
                             uint64_t stride, bool write) {
    LegacyRange range = core.Local(MemoryOf(operand.position), operand.address, bytes, write);
    if (count > 1 && stride == bytes) {
        range.bytes = bytes * count;
    } else {
        range.count = count;
        range.stride = stride;
    }
    return range;
}

inline LegacyRange GmRuns(const GmOperand& operand, uint64_t bytes, uint64_t count, uint64_t stride,
                          bool write) {
    LegacyRange range;
    range.memory = Memory::Gm;
    range.write = write;
    range.begin = operand.address;
    const bool whole = count > 1 && stride == bytes;
    range.bytes = whole ? bytes * count : bytes;
    range.count = whole ? 1 : count;
    range.stride = whole ? 0 : stride;
    return range;
}

}  // namespace twin::cube

#endif  // TWIN_DEVICE_CUBE_ENGINE_H
