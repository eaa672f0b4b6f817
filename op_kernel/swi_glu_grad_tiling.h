// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_SWI_GLU_GRAD_TILING_H
#define OP_KERNEL_SWI_GLU_GRAD_TILING_H

#include <cstdint>

/// Tiling data of SwiGluGrad, written by the host and read by the kernel. Any `dim` reduces to
/// `rows` contiguous rows of 2 * cols elements, gate half first. A tile covers rowsPerTile rows of
/// colsPerTile columns. Tiles are numbered along the columns first; the blocks get contiguous,
/// equal shares.
struct SwiGluGradTilingData {
    int64_t rows;          ///< product of the dimensions before `dim`
    int64_t cols;          ///< elements of one half row
    int64_t tiles;         ///< rowTiles * colTiles
    int64_t colTiles;      ///< tiles per row of tiles
    uint32_t rowsPerTile;  ///< more than one only when colTiles is 1
    uint32_t colsPerTile;  ///< a multiple of 512 B unless it is all columns
    uint32_t
        tileElems;  ///< elements from operand to operand of a tile in UB, a multiple of kTileUnit
    uint32_t reserved;
};

namespace ops {
namespace SwiGluGradOp {

/// UB bytes per tile element, the same for all dtypes. 16-bit: three inputs and two outputs, double
/// buffered (20), and five float operands (20). float: three inputs and two outputs, double
/// buffered, in which the arithmetic happens (40).
constexpr uint32_t kUbBytesPerElem = 40;

/// UB's groups of banks repeat after this many floats: operands whose distance is a multiple of it
/// start in the same group.
constexpr uint32_t kTileUnit = 128;
/// Half a turn of the banks: the distance between the banks of the results and those of the inputs.
constexpr uint32_t kUbShiftBytes = 256;

}  // namespace SwiGluGradOp
}  // namespace ops

#endif  // OP_KERNEL_SWI_GLU_GRAD_TILING_H
