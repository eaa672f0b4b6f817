// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_ROWS_H
#define TWIN_DEVICE_LANES_ROWS_H

#include <cstddef>

namespace twin::lanes {

/// Reductions over a row of floats, in the library's order: element i is added to the sum of all
/// elements with the same i % 64, then the 64 sums are added as a tree of neighbours. If the row
/// has a NaN, the result is the quiet NaN.
struct RowTable {
    float (*sum)(const float* row, size_t count);
    float (*max)(const float* row, size_t count);  ///< minus infinity for an empty row
};

/// The best version for this machine.
const RowTable& BestRows();

}  // namespace twin::lanes

#endif  // TWIN_DEVICE_LANES_ROWS_H
