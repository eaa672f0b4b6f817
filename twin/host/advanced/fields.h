// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/tensor.h"
#include "tiling/library_scratch.h"
#include "tiling/library_tilings.h"

namespace twin::host {

constexpr uint32_t kBlock = 32;  ///< bytes of a block of the unified buffer
constexpr uint32_t kFloats = 8;  ///< floats in a block
constexpr uint32_t kFloatSize = 4;

constexpr uint32_t Up(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

inline uint32_t Dim(const ge::Shape& shape, size_t index) {
    return static_cast<uint32_t>(shape.GetDim(index));
}

/// A shape as a matrix: `m` is the product of all leading dimensions, `k` the last dimension.
struct Matrix {
    uint32_t m = 0, k = 0;

    explicit Matrix(const ge::Shape& shape) {
        const int64_t all = shape.GetShapeSize();
        if (shape.GetDimNum() == 0 || all <= 0) {
            return;
        }
        // The matrix stays 0 x 0 if its sizes do not fit the 32-bit fields of a tiling.
        const int64_t last = shape.GetDim(shape.GetDimNum() - 1);
        if (last > 0 && last <= UINT32_MAX && all / last <= UINT32_MAX) {
            k = static_cast<uint32_t>(last);
            m = static_cast<uint32_t>(all / last);
        }
    }
};

}  // namespace twin::host
