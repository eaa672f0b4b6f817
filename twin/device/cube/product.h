// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/byte_range.h"
#include "core/core.h"
#include "device/cube/params.h"
#include "device/issue/issue.h"
#include "device/lanes/matrix.h"

namespace twin::cube {

constexpr uint32_t kSide = 16;           ///< rows of a fractal, and columns of one in L0C
constexpr uint32_t kRowBytes = 32;       ///< a row of a fractal in L1, L0A and L0B
constexpr uint32_t kFractalBytes = 512;  ///< a fractal of L1, L0A and L0B
constexpr uint32_t kCellBytes = 1024;    ///< a fractal of L0C: 16 x 16 of 4 B
constexpr uint32_t kMaxDimension = 4095;

constexpr uint64_t CeilDiv(uint64_t value, uint64_t by) { return (value + by - 1) / by; }
constexpr uint64_t Align(uint64_t value, uint64_t to) { return CeilDiv(value, to) * to; }

/// Elements in a row of a fractal (C0): 64 for int4_t.
inline uint32_t RowElements(Dtype dtype) {
    return dtype == Dtype::I4 ? 2 * kRowBytes : kRowBytes / SizeOf(dtype);
}

/// The smallest size that `extent` stands for. A kernel may have rounded it up to whole fractals
/// itself: to 32 for 8 bits, to 64 for 4.
inline uint64_t Unrounded(uint64_t extent, Dtype dtype) {
    const uint64_t unit = std::max<uint64_t>(kSide, RowElements(dtype));
    return extent - std::min(extent, unit) + 1;
}

/// An operand in L0A, L0B or L0C: `runs` of whole fractals. A kernel may declare its tensor with
/// only the numbers that count, `counted` bytes; that is right as long as the instruction touches
/// no other buffer.
inline Operand Fractals(const Core& core, const Operand& operand, Memory memory, const Runs& runs,
                        uint64_t counted = 0) {
    Operand whole = operand;
    const uint64_t bytes = runs.Span();
    if (bytes > operand.bytes && operand.bytes != 0 && counted <= operand.bytes &&
        MemoryOf(operand.position) == memory) {
        const BufferRecord* next = core.FindBuffer(memory, operand.address + bytes - 1);
        const bool same = next == nullptr || next == core.FindBuffer(memory, operand.address);
        whole.bytes = same ? static_cast<uint32_t>(bytes) : operand.bytes;
    }
    return whole;
}

/// Issue::Write and Issue::Read of whole fractals.
inline uint8_t* WriteFractals(Issue& issue, Arg name, const Operand& operand, Memory memory,
                              const Runs& runs, uint32_t alignment = kFractalBytes,
                              uint64_t counted = 0) {
    return issue.Write(name, Fractals(issue.core(), operand, memory, runs, counted), memory, runs,
                       alignment);
}
inline const uint8_t* ReadFractals(Issue& issue, Arg name, const Operand& operand, Memory memory,
                                   const Runs& runs, uint32_t alignment = kFractalBytes,
                                   uint64_t counted = 0) {
    return issue.Read(name, Fractals(issue.core(), operand, memory, runs, counted), memory, runs,
                      alignment);
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

/// A product of two matrices. It is described once: its result in L0C and the marks of that result
/// both follow from this description.
struct Product {
    Dtype dtype;
    lanes::MatrixShape shape;
    uint8_t* c;                      ///< address of C in L0C
    const uint8_t* a;                ///< address of A in L0A
    const uint8_t* b;                ///< address of B in L0B
    const uint8_t* bias = nullptr;   ///< start of the sums, unless they start from C or from zero
    Memory biasMemory = Memory::Bt;  ///< Bt: one row for all rows; L0c: a whole matrix
    const int8_t* fullB = nullptr;   ///< for a sparse product: B with its zeros

    /// Computes C. Saturates it where CTRL[48] asks for it, and poisons what lies beyond m and n.
    void Compute(const Core& core) const;
    /// Gives every element of C the mark of the bytes from which it was computed.
    void Mark(const ByteMarks& marks) const;

private:
    /// Writes the values, or the marks, from which the sums start.
    void Start(uint8_t* to, const uint8_t* from) const;
};

/// Refuses sizes that do not fit their fields; returns true if there is nothing to multiply.
bool IsEmpty(const char* api, const AscendC::MmadParams& params);

// Finds the elements of a product that depend on marked ones: those whose row of A or column of B
// has a mark below k. What the last fractals have beyond k is masked; rows beyond m and columns
// beyond n are computed like the others.

/// The rows of A, or the columns of B: lines along k, 16 in a fractal.
struct ProductLines {
    const uint8_t* marks;
    const uint8_t* data;  ///< the values; nullptr if a product with zero may still be NaN
    uint32_t lines;       ///< number of lines that count
    uint32_t computed;  ///< number of lines that are computed: rounded up to fractals, unless A is
                        ///< one row
    uint64_t blockStride;  ///< bytes from 16 lines to the next 16
    uint64_t kStride;      ///< bytes from a fractal to the next one along k
    uint64_t bytes;        ///< bytes of k in each line

    uint64_t Offset(uint32_t line, uint64_t fractal) const {
        return line / kSide * blockStride + fractal * kStride + line % kSide * kRowBytes;
    }
};

/// Sets the marks of C from those of A and B; `keeps` means that the sums start from the values of
/// C.
void MarkProduct(uint8_t* c, const ProductLines& a, const ProductLines& b, bool keeps);

/// Notes in the record that a call with a unit flag reads and changes the flags.
inline void NoteUnits(Issue& issue, uint8_t unitFlag) {
    if (unitFlag != 0) {
        issue.Reads(Register::UnitFlags);
        issue.Writes(Register::UnitFlags);
    }
}
/// A product that writes `cells` fractals of L0C from `address` with unitFlag 0, 2 or 3: it waits
/// until they are free (2, 3) and marks them written (3). The twin runs in program order, so a wait
/// that is not already over never ends: T461.
void WriteUnits(Core& core, uint32_t address, uint64_t cells, uint8_t unitFlag, const char* api);
/// A copy out of `stripes` runs of `cells` fractals, `stride` fractals apart: it waits until they
/// are written (2, 3) and frees them (3).
void ReadUnits(Core& core, uint32_t address, uint64_t cells, uint64_t stripes, uint64_t stride,
               uint8_t unitFlag, const char* api);

}  // namespace twin::cube
