// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_MATRIX_TILES_H
#define TWIN_DEVICE_LANES_MATRIX_TILES_H

// The matrix lanes include this header like convert.h: everything here has internal linkage. The
// functions go through C in tiles that fit into the host's registers.

#include "device/lanes/matrix.h"

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
    const Element* a;       ///< first row of A
    size_t aFractalStride;  ///< elements between fractals along k
    const void* b;          ///< first panel of B
    size_t bPanelBytes;     ///< bytes between panels
    uint32_t* c;            ///< first row, first 16 columns of C
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

#endif  // TWIN_DEVICE_LANES_MATRIX_TILES_H
