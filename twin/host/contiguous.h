// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_CONTIGUOUS_H
#define TWIN_HOST_CONTIGUOUS_H

#include <cstdint>
#include <vector>

#include "core/contain.h"

namespace twin::host {

/// A view of memory. Strides count elements; 0 and negative ones are fine.
struct StridedView {
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
};

/// First and last element that a view touches, relative to its element [0, ..., 0]; `elements` 0
/// for an empty view.
struct ViewExtent {
    int64_t first = 0;
    int64_t last = 0;
    int64_t elements = 0;
};

/// False when a dimension is negative or a number does not fit int64.
bool ExtentOf(const StridedView& view, ViewExtent* extent);

/// As the toolkit decides it: dimensions of length 1 and empty or one-element views do not matter.
bool IsContiguous(const StridedView& view);

/// The same elements in the same order with the fewest dimensions.
StridedView Simplify(const StridedView& view);

/// Copies the view into row-major memory. `source` is element [0, ..., 0]; `elementBytes` is 1, 2,
/// 4, 8 or 16; up to `threads` threads share the work. False when some of the memory is not there.
bool CopyStrided(const void* source, const StridedView& view, uint32_t elementBytes, void* target,
                 uint32_t threads, MemoryFault* fault);

}  // namespace twin::host

#endif  // TWIN_HOST_CONTIGUOUS_H
