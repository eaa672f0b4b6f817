// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_CONTIGUOUS_H
#define TWIN_HOST_CONTIGUOUS_H

#include <cstdint>
#include <vector>

#include "core/contain.h"

namespace twin::host {

/// A view of memory. Strides count elements and may be 0 or negative.
struct StridedView {
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
};

/// First and last element that a view touches, relative to its element [0, ..., 0]; `elements` is 0
/// for an empty view.
struct ViewExtent {
    int64_t first = 0;
    int64_t last = 0;
    int64_t elements = 0;
};

/// Returns false if a dimension is negative or a number does not fit int64.
bool ExtentOf(const StridedView& view, ViewExtent* extent);

/// Decides as the toolkit does: dimensions of length 1 do not matter, and views without elements or
/// with one element are contiguous.
bool IsContiguous(const StridedView& view);

/// Returns the same elements in the same order with as few dimensions as possible.
StridedView Simplify(const StridedView& view);

/// Copies the view to row-major memory. `source` is element [0, ..., 0]; `elementBytes` is 1, 2, 4,
/// 8 or 16; up to `threads` threads share the work. Returns false if some of the memory does not
/// exist.
bool CopyStrided(const void* source, const StridedView& view, uint32_t elementBytes, void* target,
                 uint32_t threads, MemoryFault* fault);

}  // namespace twin::host

#endif  // TWIN_HOST_CONTIGUOUS_H
