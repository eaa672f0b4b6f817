// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace twin::lanes {

constexpr size_t kReduceBatch = 16;  ///< largest number of repeats in one call of a reduction

/// Sums groups of `group` elements (a power of two) in `repeats` contiguous repeats of 256 B, and
/// writes one sum per group to `dst`. Pairs of neighbours are added, as a tree; each sum is rounded
/// to the element type. If `active` is not null, it has one word per element of a repeat. A word is
/// as wide as an element and has only ones or only zeros. Zeros take an element out of the tree:
/// the sum of the pair is then the other element. If `saturate` is true, sums of half stay finite:
/// infinity becomes the largest number, NaN becomes zero.
using SumFn = void (*)(void* dst, const void* src, const void* active, size_t repeats, size_t group,
                       bool saturate);
/// Finds the index of each group's extreme value, counted from the group's first element. A group
/// is a repeat or a block. The lowest index of equal values wins (zeros of either sign are equal);
/// the first NaN wins over every number.
using BestFn = void (*)(uint32_t* place, const void* src, const void* active, size_t repeats,
                        size_t group);

enum class Extreme : uint8_t { Max, Min };

struct ReduceTable {
    SumFn sum[kDtypeCount];
    BestFn best[2][kDtypeCount];  ///< indexed by [Extreme][Dtype]
};

/// Returns the table that is compiled for the instruction set of this machine.
const ReduceTable& BestReduce();

/// Reductions over a row of floats, in the library's order: element i is added to the sum of all
/// elements with the same i % 64, then the 64 sums are added as a tree of neighbours. If the row
/// contains NaN, the result is the quiet NaN.
struct RowTable {
    float (*sum)(const float* row, size_t count);
    float (*max)(const float* row, size_t count);  ///< minus infinity for an empty row
};

/// Returns the table that is compiled for the instruction set of this machine.
const RowTable& BestRows();

/// Comparisons, with the values of AscendC::CMPMODE.
enum class CompareOp : uint8_t { Lt, Gt, Eq, Le, Ge, Ne };
constexpr uint32_t kCompareOps = 6;

/// Sets bit i of `bits` (lowest first) to src0[i] op src1[i]; `count` is a multiple of 8.
using CompareFn = void (*)(uint8_t* bits, const void* src0, const void* src1, size_t count);
/// Sets dst[i] to src0[i] if bit first + i of `bits` is set, otherwise to src1[i].
using SelectFn = void (*)(void* dst, const void* src0, const void* src1, const uint8_t* bits,
                          uint64_t first, size_t count);

/// Functions for comparison and selection on contiguous elements. A null entry means that the
/// vector unit has no such instruction.
struct CompareTable {
    CompareFn tensor[kCompareOps][kDtypeCount];
    CompareFn scalar[kCompareOps][kDtypeCount];  ///< src1 points to one element
    SelectFn select16, select32;
    SelectFn selectScalar16, selectScalar32;  ///< src1 points to one element
};

const CompareTable& BestCompare();

// Inner loops are in device/lanes/<family>_lanes.cpp. Each such file is compiled once per
// instruction set of the host, and provides its functions as a table in a namespace with the name
// of that set (TWIN_LANES_ISA):
//   TWIN_LANES_TABLE(SortTable, SortLanes, {Sort, Merge})
// device/lanes/select.cpp chooses the table for this machine.

enum class Isa { Baseline, X86V3, X86V4 };

/// Returns the largest instruction set that this machine has. The environment variable CANNERY_ISA
/// (baseline, x86-64-v3, x86-64-v4) can choose a smaller one.
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
