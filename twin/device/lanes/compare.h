// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_COMPARE_H
#define TWIN_DEVICE_LANES_COMPARE_H

#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace twin::lanes {

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

}  // namespace twin::lanes

#endif  // TWIN_DEVICE_LANES_COMPARE_H
