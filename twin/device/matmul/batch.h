// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATMUL_BATCH_H
#define TWIN_DEVICE_MATMUL_BATCH_H

#include "device/matmul/problem.h"

namespace twin::matmul {

/// Elements between the matrices of a batch, given by the kernel; 0 means the layout's own
/// distance.
struct MatrixStrides {
    uint32_t a, b, c;
};

/// Distances of rows and of matrices in a batch, in elements.
struct BatchLayout {
    int64_t pitch = 0;   ///< between rows
    int64_t stride = 0;  ///< between matrices
    int32_t rows = 0;    ///< rows of one matrix
};

/// The matrix of an operand for product `i`: i % mod + i / divisor.
struct BatchIndex {
    int64_t mod = 1, divisor = 1;
    int64_t Of(int64_t i) const { return i % mod + i / divisor; }
};

/// One IterateBatch: `products` matrices are computed; `reduce` neighbours of them are added up to
/// one C.
struct BatchPlan {
    int64_t products = 0;
    int64_t reduce = 1;
    BatchIndex a, b, bias;
};

/// Axes of an operand's layout, from the tiling.
struct LayoutAxes {
    int32_t b, s, n, g, d;
};

/// `rows` x `columns` of one stored matrix are used in the NORMAL layout only; `matrixStride` 0
/// means the layout's own distance. Ends the task with T486 if axes are not set.
TWIN_API BatchLayout LayoutOf(LayoutMode mode, const LayoutAxes& axes, int32_t rows,
                              int32_t columns, uint32_t matrixStride, const char* operand,
                              Location where);
/// Ends the task with T486 if the two batches do not fit each other.
TWIN_API BatchPlan PlanBatch(LayoutMode mode, const TCubeTiling& tiling, int32_t batchA,
                             int32_t batchB, Location where);

inline LayoutAxes AxesOfA(const TCubeTiling& t) {
    return {t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoD};
}
inline LayoutAxes AxesOfB(const TCubeTiling& t) {
    return {t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoD};
}
inline LayoutAxes AxesOfC(const TCubeTiling& t) {
    return {t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2};
}

}  // namespace twin::matmul

#endif  // TWIN_DEVICE_MATMUL_BATCH_H
