// SPDX-License-Identifier: Apache-2.0
#pragma once

// Common code of matrix_*_lanes.cpp. The helpers have internal linkage, see convert.h. The
// functions compute C in tiles that fit into the host's registers.
#include <cstddef>
#include <cstdint>

namespace twin::lanes {

/// Shape of one matrix product of the cube unit. A has the layout of L0A (row-major fractals, row
/// by row), B has the layout of L0B (column-major fractals, row by row), and C has the layout of
/// L0C (row-major fractals of 16 x 16, column by column).
struct MatrixShape {
    uint32_t m;
    uint32_t n;
    uint32_t k;
    uint32_t aFractals;  ///< number of fractals along k in L0A
    bool vector;         ///< A is one row of k contiguous numbers
    bool accumulate;     ///< adds to the values of C; otherwise C starts at zero
};

/// Buffers for the repacked operands. Each has room for 64 KiB of int4b_t converted to 16-bit
/// integers, and for 64 B more per 16 columns of B.
struct MatrixScratch {
    static constexpr size_t kBytes = size_t{(256 + 16)} * 1024;
    alignas(64) uint8_t a[kBytes];
    alignas(64) uint8_t b[kBytes];
};

/// Computes one matrix product and writes whole fractals of C. The rows of C from m on and the
/// columns of C from n on have no meaning.
using MatrixFn = void (*)(void* c, const void* a, const void* b, const MatrixShape& shape,
                          MatrixScratch& scratch);

/// Functions for products of floating-point matrices. They add the terms of k = 0, 1, 2, ... in
/// this order, with one rounding per term (fused multiply-add); NaN results are 0x7FC00000.
struct MatrixFloatTable {
    MatrixFn half;
    MatrixFn bfloat16;
    MatrixFn float32;
    MatrixFn hf32ToEven;  ///< float operands rounded to 11 mantissa bits, ties to even
    MatrixFn hf32ToZero;  ///< float operands rounded to 11 mantissa bits, ties toward zero
};

/// Functions for products of integer matrices. Sums are exact and saturate once, when added to C.
struct MatrixIntTable {
    MatrixFn int8;
    MatrixFn int4;
};

/// Returns the table that is compiled for the instruction set of this machine.
const MatrixFloatTable& BestMatrixFloat();
const MatrixIntTable& BestMatrixInt();

}  // namespace twin::lanes

namespace {

using twin::lanes::MatrixScratch;
using twin::lanes::MatrixShape;

constexpr uint32_t kSide = 16;  ///< rows and columns of a fractal of C
constexpr uint32_t kCellC = kSide * kSide;

inline uint32_t Fractals(uint32_t count) { return (count + kSide - 1) / kSide; }

/// Returns how many elements of A the matrix product can read. A fractal of A has c0 columns.
inline size_t CountA(const MatrixShape& shape, uint32_t c0) {
    const size_t columns = (shape.k + c0 - 1) / c0;
    return shape.vector ? columns * c0
                        : (size_t{Fractals(shape.m) - 1} * shape.aFractals + columns) * c0 * kSide;
}

/// Addresses and strides of a tile. `Element` is the type to which A is repacked; B is repacked to
/// panels of 16 columns.
template <typename Element>
struct TileInput {
    const Element* a;       ///< address of the first row of A
    size_t aFractalStride;  ///< distance between fractals along k, in elements
    const void* b;          ///< address of the first panel of B
    size_t bPanelBytes;     ///< distance between panels, in bytes
    uint32_t* c;            ///< address of the first row and the first 16 columns of C
    size_t cColumnStride;   ///< distance between columns of fractals, in elements
    uint32_t k;
    bool accumulate;
};

template <typename Element>
using TileFn = void (*)(const TileInput<Element>& tile);

/// Functions for tiles of kRows rows by 1 to kPanels panels; `single` is for an A of one row.
template <typename Element, uint32_t kRows, uint32_t kPanels>
struct TileSet {
    TileFn<Element> tiles[kPanels];
    TileFn<Element> single;
};

/// Computes C tile by tile. A fractal of A has kC0 columns.
template <typename Element, uint32_t kC0, uint32_t kRows, uint32_t kPanels>
void WalkTiles(void* c, const Element* a, const void* b, size_t bPanelBytes,
               const MatrixShape& shape, const TileSet<Element, kRows, kPanels>& set) {
    const uint32_t panels = Fractals(shape.n);
    TileInput<Element> tile = {};
    tile.aFractalStride = shape.vector ? kC0 : size_t{kC0} * kSide;
    tile.bPanelBytes = bPanelBytes;
    tile.cColumnStride = size_t{Fractals(shape.m)} * kCellC;
    tile.k = shape.k;
    tile.accumulate = shape.accumulate;
    const uint32_t step = shape.vector ? 1 : kPanels;
    for (uint32_t panel = 0; panel < panels; panel += step) {
        const uint32_t count = panels - panel < step ? panels - panel : step;
        tile.b = static_cast<const uint8_t*>(b) + panel * bPanelBytes;
        for (uint32_t row = 0; row < shape.m; row += kRows) {
            tile.a = a + size_t{row / kSide} * shape.aFractals * kC0 * kSide + row % kSide * kC0;
            tile.c = static_cast<uint32_t*>(c) + panel * tile.cColumnStride + size_t{row} * kSide;
            (shape.vector ? set.single : set.tiles[count - 1])(tile);
        }
    }
}

}  // namespace
