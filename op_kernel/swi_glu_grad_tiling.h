// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_SWI_GLU_GRAD_TILING_H
#define OP_KERNEL_SWI_GLU_GRAD_TILING_H

#include <cstdint>

/// Tiling data of SwiGluGrad, written by the host and read by the kernel. For any `dim`, x is
/// `rows` contiguous rows of 2 * cols elements: a (gate), then b. A tile covers rowsPerTile rows of
/// colsPerTile columns. Tiles are numbered along the columns first; each block has a contiguous
/// share.
struct SwiGluGradTilingData {
    int64_t rows;            ///< product of the dimensions before `dim`
    int64_t cols;            ///< number of columns of a and of b
    int64_t tiles;           ///< number of tiles
    int64_t colTiles;        ///< number of tiles that cover a row
    int64_t tilesThroughL2;  ///< number of first tiles of a block whose results go through L2
    uint32_t rowsPerTile;    ///< number of rows; more than 1 only if colTiles is 1
    uint32_t colsPerTile;    ///< number of columns: a multiple of 512 B, or all columns
    uint32_t tileElems;      ///< elements between operands of a tile in UB, a multiple of kTileUnit
    uint32_t readsPastL2;    ///< 1 if the inputs bypass L2, else 0
    uint32_t halfCopies;     ///< number of copies that load a tile's rows of a, or of b
    uint32_t gradCopies;     ///< number of copies that load a tile's rows of yGrad
    uint32_t skew;           ///< time between the starts of two blocks (SkewedShareOfBlock)
    uint32_t narrow;         ///< 1 if NarrowKernel runs, for rows of a few bytes; else 0
};

namespace ops {
namespace SwiGluGradOp {

/// UB bytes per element of a tile. 16-bit types: 20 for two buffers of three inputs and two
/// results, 12 for three float operands. float: 40 for two buffers of three inputs and two results,
/// in which the kernel also computes.
constexpr uint32_t kUbBytesPerHalf = 32;
constexpr uint32_t kUbBytesPerFloat = 40;
/// The same for NarrowKernel, which also needs 12 for offsets. 16-bit types need 4 for two operands
/// between Cast and Gather, float needs 12 for three operands.
constexpr uint32_t kUbBytesPerNarrowHalf = 48;
constexpr uint32_t kUbBytesPerNarrowFloat = 64;

/// Number of floats after which the groups of banks in UB repeat. Operands whose distance is a
/// multiple of this number start in the same group.
constexpr uint32_t kTileUnit = 128;
/// Half of kTileUnit, in bytes. It moves the results to other groups of banks than the inputs.
constexpr uint32_t kUbShiftBytes = 256;
/// Each group has a bank for every 64 KiB of UB. So operands that are at least this far apart are
/// in different banks.
constexpr uint32_t kUbSetBytes = 65536;

}  // namespace SwiGluGradOp
}  // namespace ops

#endif  // OP_KERNEL_SWI_GLU_GRAD_TILING_H
