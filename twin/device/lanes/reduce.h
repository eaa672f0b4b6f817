// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_REDUCE_H
#define TWIN_DEVICE_LANES_REDUCE_H

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

}  // namespace twin::lanes

#endif  // TWIN_DEVICE_LANES_REDUCE_H
