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

constexpr uint32_t kSide = 16;           ///< number of rows of a fractal; also of columns in L0C
constexpr uint32_t kRowBytes = 32;       ///< size of a fractal's row in L1, L0A and L0B, in bytes
constexpr uint32_t kFractalBytes = 512;  ///< size of a fractal in L1, L0A and L0B, in bytes
constexpr uint32_t kCellBytes = 1024;    ///< size of a fractal in L0C: 16 x 16 elements of 4 B
constexpr uint32_t kMaxDimension = 4095;

constexpr uint64_t CeilDiv(uint64_t value, uint64_t by) { return (value + by - 1) / by; }
constexpr uint64_t Align(uint64_t value, uint64_t to) { return CeilDiv(value, to) * to; }

/// Returns the number of elements in a row of a fractal (C0), such as 64 for int4_t.
inline uint32_t RowElements(Dtype dtype) {
    return dtype == Dtype::I4 ? 2 * kRowBytes : kRowBytes / SizeOf(dtype);
}

/// Returns the smallest size that a kernel may have rounded up to `extent`. Kernels round to whole
/// fractals: to multiples of 16, of 32 for 8-bit elements, of 64 for 4-bit elements.
inline uint64_t Unrounded(uint64_t extent, Dtype dtype) {
    const uint64_t unit = std::max<uint64_t>(kSide, RowElements(dtype));
    return extent - std::min(extent, unit) + 1;
}

/// Returns `operand`. If its tensor has at least `counted` bytes, the result is enlarged to all
/// fractals of `runs`. The result is not enlarged if another buffer is in the added bytes.
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

/// Adds a written operand of whole fractals to `issue` and checks it, like Issue::Write.
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

/// Refuses a parameter outside [low, high] (T450).
inline void CheckRange(const char* api, const char* name, uint64_t value, uint64_t low,
                       uint64_t high) {
    if (__builtin_expect(value < low || value > high, 0)) {
        Fail("T450", "parameter out of range: %s with %s %llu, expected %llu to %llu", api, name,
             static_cast<unsigned long long>(value), static_cast<unsigned long long>(low),
             static_cast<unsigned long long>(high));
    }
}

/// A multiplication of two matrices, C = A x B. Compute writes C to L0C. Mark marks the elements of
/// C that depend on uninitialised bytes.
struct Product {
    Dtype dtype;
    lanes::MatrixShape shape;
    uint8_t* c;                      ///< address of C in L0C
    const uint8_t* a;                ///< address of A in L0A
    const uint8_t* b;                ///< address of B in L0B
    const uint8_t* bias = nullptr;   ///< start values of the sums; nullptr: C or zeros
    Memory biasMemory = Memory::Bt;  ///< Bt: the bias is one row; L0c: it is a whole matrix
    const int8_t* fullB = nullptr;   ///< for a sparse product: the full B, with its zeros

    /// Computes C. Saturates floats if CTRL[48] is 0. Poisons rows from m on and columns from n on.
    void Compute(const Core& core) const;
    /// Marks the elements of C that were computed from uninitialised bytes.
    void Mark(const ByteMarks& marks) const;

private:
    /// Writes the start values of the sums, or the marks of these values, to `to`.
    void Start(uint8_t* to, const uint8_t* from) const;
};

/// Refuses sizes that do not fit their fields (T450); returns true if m, n or k is 0.
bool IsEmpty(const char* api, const AscendC::MmadParams& params);

// The following code finds the elements of C that depend on uninitialised bytes, which have marks.
// An element of C depends on such bytes if its row of A or column of B has a mark at an index below
// k. Rows from m on and columns from n on are treated in the same way.

/// The rows of A or the columns of B. Each row or column is a line along k; a fractal has 16 lines.
struct ProductLines {
    const uint8_t* marks;
    const uint8_t* data;   ///< values of integers; nullptr for other types and for sparse products
    uint32_t lines;        ///< number of lines with data: m or n
    uint32_t computed;     ///< number of computed lines: whole fractals, or 1 if A is one row
    uint64_t blockStride;  ///< bytes from one group of 16 lines to the next
    uint64_t kStride;      ///< bytes from a fractal to the next one along k
    uint64_t bytes;        ///< bytes of each line up to index k

    uint64_t Offset(uint32_t line, uint64_t fractal) const {
        return line / kSide * blockStride + fractal * kStride + line % kSide * kRowBytes;
    }
};

/// Marks the elements of C that depend on marked bytes of A or B. If `keeps` is true, the sums
/// start from C, so marks of C remain.
void MarkProduct(uint8_t* c, const ProductLines& a, const ProductLines& b, bool keeps);

/// Tells `issue` that a call with a unit flag reads and changes the unit flags.
inline void NoteUnits(Issue& issue, uint8_t unitFlag) {
    if (unitFlag != 0) {
        issue.Reads(Register::UnitFlags);
        issue.Writes(Register::UnitFlags);
    }
}
/// Checks the unit flags of a Mmad that writes `cells` fractals of L0C. With unitFlag 2 or 3, these
/// fractals must be free (T461): the twin runs in program order, so a wait would never end. With 3,
/// these fractals then count as written.
void WriteUnits(Core& core, uint32_t address, uint64_t cells, uint8_t unitFlag, const char* api);
/// Checks the unit flags of a copy of `stripes` runs of `cells` fractals. Runs start `stride`
/// fractals apart. With unitFlag 2 or 3, the fractals must be written (T461); 3 also frees them.
void ReadUnits(Core& core, uint32_t address, uint64_t cells, uint64_t stripes, uint64_t stride,
               uint8_t unitFlag, const char* api);

}  // namespace twin::cube
