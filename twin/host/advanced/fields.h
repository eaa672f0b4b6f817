// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_ADVANCED_FIELDS_H
#define TWIN_HOST_ADVANCED_FIELDS_H

#include "graph/tensor.h"
#include "kernel_tiling/advanced_tilings.h"

/// For the lists of kernel_tiling/advanced_tilings.h: fills the class `tiling` from the struct
/// `plain`.
#define TWIN_FILL_FIELD(TYPE, NAME) tiling.set_##NAME(plain.NAME);

namespace twin::host {

constexpr uint32_t kBlock = 32;  ///< bytes
constexpr uint32_t kFloats = 8;  ///< in a block
constexpr uint32_t kFloatSize = 4;

constexpr uint32_t Up(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

inline uint32_t Dim(const ge::Shape& shape, size_t index) {
    return static_cast<uint32_t>(shape.GetDim(index));
}

/// All leading dimensions together, and the last one.
struct Matrix {
    uint32_t m = 0, k = 0;

    explicit Matrix(const ge::Shape& shape) {
        const int64_t all = shape.GetShapeSize();
        if (shape.GetDimNum() == 0 || all <= 0) {
            return;
        }
        // Sizes that a tiling's 32-bit fields do not hold are no matrix either.
        const int64_t last = shape.GetDim(shape.GetDimNum() - 1);
        if (last > 0 && last <= UINT32_MAX && all / last <= UINT32_MAX) {
            k = static_cast<uint32_t>(last);
            m = static_cast<uint32_t>(all / last);
        }
    }
};

}  // namespace twin::host

#endif  // TWIN_HOST_ADVANCED_FIELDS_H
