// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_MATRIX_H
#define TWIN_DEVICE_LANES_MATRIX_H

#include <cstddef>
#include <cstdint>

namespace twin::lanes {

/// One product of the cube unit. The operands have the fractal layouts of L0A (row-major fractals,
/// in rows), L0B (column-major fractals, in rows) and L0C (row-major fractals of 16 x 16, in
/// columns).
struct MatrixShape {
    uint32_t m;
    uint32_t n;
    uint32_t k;
    uint32_t aFractals;  ///< fractals in one row of fractals of L0A
    bool vector;         ///< A is one row of k contiguous numbers
    bool accumulate;     ///< adds to the values of C; otherwise C starts at zero
};

/// Room for repacked operands: at most 64 KiB of int4_t as 16-bit integers, and for B 64 B per 16
/// columns.
struct MatrixScratch {
    static constexpr size_t kBytes = size_t{(256 + 16)} * 1024;
    alignas(64) uint8_t a[kBytes];
    alignas(64) uint8_t b[kBytes];
};

/// Writes whole fractals of C; rows from m and columns from n have no meaning.
using MatrixFn = void (*)(void* c, const void* a, const void* b, const MatrixShape& shape,
                          MatrixScratch& scratch);

/// Matrix products. Floating-point ones add k = 0, 1, 2, ... in this order with one rounding per
/// step (fused multiply-add); NaN results are 0x7FC00000. Integer ones are exact and saturate once,
/// when they are added to C.
struct MatrixFloatTable {
    MatrixFn half;
    MatrixFn bfloat16;
    MatrixFn float32;
    MatrixFn hf32ToEven;  ///< operands rounded to 11 mantissa bits, ties to even
    MatrixFn hf32ToZero;  ///< ties toward zero
};

struct MatrixIntTable {
    MatrixFn int8;
    MatrixFn int4;
};

/// The best versions for this machine.
const MatrixFloatTable& BestMatrixFloat();
const MatrixIntTable& BestMatrixInt();

}  // namespace twin::lanes

#endif  // TWIN_DEVICE_LANES_MATRIX_H
