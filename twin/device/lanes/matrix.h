// SPDX-License-Identifier: Apache-2.0
#pragma once

// The matrix lanes include this header like convert.h: everything here has internal linkage. The
// functions go through C in tiles that fit into the host's registers.
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
    MatrixFn hf32ToEven;  ///< float operands rounded to 11 mantissa bits, ties to even
    MatrixFn hf32ToZero;  ///< float operands rounded to 11 mantissa bits, ties toward zero
};

struct MatrixIntTable {
    MatrixFn int8;
    MatrixFn int4;
};

/// The best versions for this machine.
const MatrixFloatTable& BestMatrixFloat();
const MatrixIntTable& BestMatrixInt();

}  // namespace twin::lanes

namespace {

using twin::lanes::MatrixScratch;
using twin::lanes::MatrixShape;

constexpr uint32_t kSide = 16;  ///< rows and columns of a fractal of C
constexpr uint32_t kCellC = kSide * kSide;

inline uint32_t Fractals(uint32_t count) { return (count + kSide - 1) / kSide; }

/// Elements of A that the product can touch; c0 is the number of columns of a fractal.
inline size_t CountA(const MatrixShape& shape, uint32_t c0) {
    const size_t columns = (shape.k + c0 - 1) / c0;
    return shape.vector ? columns * c0
                        : (size_t{Fractals(shape.m) - 1} * shape.aFractals + columns) * c0 * kSide;
}

/// The places of a tile's numbers. `Element` is the type to which A is repacked; B is repacked to
/// panels of 16 columns.
template <typename Element>
struct TileInput {
    const Element* a;       ///< address of the first row of A
    size_t aFractalStride;  ///< elements between fractals along k
    const void* b;          ///< address of the first panel of B
    size_t bPanelBytes;     ///< bytes between panels
    uint32_t* c;            ///< address of the first row and the first 16 columns of C
    size_t cColumnStride;   ///< elements between columns of fractals
    uint32_t k;
    bool accumulate;
};

template <typename Element>
using TileFn = void (*)(const TileInput<Element>& tile);

/// Tiles of kRows rows by 1 to kPanels panels; `single` is for products with one row.
template <typename Element, uint32_t kRows, uint32_t kPanels>
struct TileSet {
    TileFn<Element> tiles[kPanels];
    TileFn<Element> single;
};

/// kC0 is the number of columns of a fractal of A, in elements.
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
