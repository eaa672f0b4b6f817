// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_PRODUCT_MARKS_H
#define TWIN_DEVICE_CUBE_PRODUCT_MARKS_H

#include <cstdint>

#include "core/byte_marks.h"
#include "device/cube/fractals.h"

// Finds the elements of a product that depend on marked ones: those whose row of A or column of B
// has a mark below k. What the last fractals have beyond k is masked; rows beyond m and columns
// beyond n are computed like the others.

namespace twin::cube {

/// The rows of A, or the columns of B: lines along k, 16 in a fractal.
struct ProductLines {
    const uint8_t* marks;
    const uint8_t* data;   ///< null if a product with zero may still be NaN
    uint32_t lines;        ///< number of lines that count
    uint32_t computed;     ///< rounded up to fractals, unless A is one row
    uint64_t blockStride;  ///< bytes from 16 lines to the next 16
    uint64_t kStride;      ///< from a fractal to the next one along k
    uint64_t bytes;        ///< bytes of k in each line

    uint64_t Offset(uint32_t line, uint64_t fractal) const {
        return line / kSide * blockStride + fractal * kStride + line % kSide * kRowBytes;
    }
};

/// Sets the marks of C from those of A and B; `keeps` means that the sums start from the values of
/// C.
void MarkProduct(uint8_t* c, const ProductLines& a, const ProductLines& b, bool keeps);

}  // namespace twin::cube

#endif  // TWIN_DEVICE_CUBE_PRODUCT_MARKS_H
