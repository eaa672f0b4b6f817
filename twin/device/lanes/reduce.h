// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace twin::lanes {

constexpr size_t kReduceBatch = 16;  ///< largest number of repeats of one call

/// Sums groups of `group` elements (a power of two) in `repeats` contiguous repeats of 256 B: a
/// tree of neighbouring pairs, each sum rounded to the element type. `active` is null or has one
/// word of all ones or zeros per element of a repeat, as wide as an element: if it is zero, the
/// tree has no leaf there and the neighbour passes unchanged. One sum per group is written to
/// `dst`. With `saturate` every sum of half stays finite: infinity becomes the largest number, NaN
/// zero.
using SumFn = void (*)(void* dst, const void* src, const void* active, size_t repeats, size_t group,
                       bool saturate);
/// Finds the place of each group's extreme value (groups are repeats or blocks), counted from the
/// group's first element. Of equal values the lowest place wins (zeros of either sign are equal);
/// the first NaN wins over every number.
using BestFn = void (*)(uint32_t* place, const void* src, const void* active, size_t repeats,
                        size_t group);

enum class Extreme : uint8_t { Max, Min };

struct ReduceTable {
    SumFn sum[kDtypeCount];
    BestFn best[2][kDtypeCount];  ///< [Extreme]
};

/// The best version for this machine.
const ReduceTable& BestReduce();

/// Reductions over a row of floats, in the library's order: element i is added to the sum of all
/// elements with the same i % 64, then the 64 sums are added as a tree of neighbours. If the row
/// has a NaN, the result is the quiet NaN.
struct RowTable {
    float (*sum)(const float* row, size_t count);
    float (*max)(const float* row, size_t count);  ///< minus infinity for an empty row
};

/// The best version for this machine.
const RowTable& BestRows();

/// The numbers are those of AscendC::CMPMODE.
enum class CompareOp : uint8_t { Lt, Gt, Eq, Le, Ge, Ne };
constexpr uint32_t kCompareOps = 6;

/// Sets bit i of `bits` (lowest first) to src0[i] op src1[i]; `count` is a multiple of 8.
using CompareFn = void (*)(uint8_t* bits, const void* src0, const void* src1, size_t count);
/// Sets dst[i] to src0[i] if bit first + i of `bits` is set, otherwise to src1[i].
using SelectFn = void (*)(void* dst, const void* src0, const void* src1, const uint8_t* bits,
                          uint64_t first, size_t count);

/// Comparison and selection on contiguous elements. A null entry means that the vector unit does
/// not have it.
struct CompareTable {
    CompareFn tensor[kCompareOps][kDtypeCount];
    CompareFn scalar[kCompareOps][kDtypeCount];  ///< src1 points to one element
    SelectFn select16, select32;
    SelectFn selectScalar16, selectScalar32;  ///< src1 points to one element
};

const CompareTable& BestCompare();

// Inner loops are in device/lanes/<family>_lanes.cpp. Each such file is compiled once per
// instruction set of the host, in a namespace of that name (TWIN_LANES_ISA), and provides its
// functions in a table:
//   TWIN_LANES_TABLE(SortTable, SortLanes, {Sort, Merge})
// device/lanes/select.cpp chooses the table for this machine.

enum class Isa { Baseline, X86V3, X86V4 };

/// The largest instruction set that this machine has; CANNERY_ISA (baseline, x86-64-v3, x86-64-v4)
/// lowers it.
Isa ChosenIsa();
/// Returns true if the machine has 8-bit dot products (AVX-512 VNNI) in addition to X86V4; always
/// false if CANNERY_ISA is set.
bool HasDotProducts();

}  // namespace twin::lanes

#ifndef TWIN_LANES_ISA
#define TWIN_LANES_ISA baseline
#endif

#define TWIN_LANES_TABLE(Table, Lanes, ...)     \
    namespace twin::lanes::TWIN_LANES_ISA {     \
    const Table& Lanes() {                      \
        static const Table table = __VA_ARGS__; \
        return table;                           \
    }                                           \
    }
