// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILING_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILING_H

#include <cstdint>

/// Tiling data of GroupedMatmulFinalizeRouting, written by the host and read by the kernel.
///
/// A unit of work is up to unitRows rows of one expert times unitCols columns. Which experts have
/// rows is data, so the cores number the units themselves and deal them out round robin.
struct GroupedMatmulFinalizeRoutingTilingData {
    int64_t rows;          ///< of x
    int64_t cols;          ///< n
    int64_t tokens;        ///< rows of y
    int64_t sharedRows;    ///< of sharedInput
    int64_t sharedOffset;  ///< row of y that gets the first of them
    uint32_t k;
    uint32_t experts;
    uint32_t unitCols;    ///< a multiple of 64
    uint32_t unitRows;    ///< a multiple of 64
    uint32_t splitRows;   ///< rows of x that a vector core takes apart at a time
    uint32_t cumulative;  ///< 1: groupList holds sums, 0: counts
    float sharedWeight;
    uint32_t weightsOnce;  ///< 1: nobody reads weights a second time
};

namespace ops {
namespace GroupedMatmulFinalizeRoutingOp {

using TilingData = GroupedMatmulFinalizeRoutingTilingData;

/// Tiles of the product that a cube core may be ahead of its vector cores. Three keep the cube core
/// from waiting; with the fourth it does not notice one slow tile either.
constexpr uint32_t kSlots = 4;
/// A slot: all of L0C.
constexpr uint32_t kSlotBytes = 128 * 1024;
/// Both digits of 64 rows: as many as an operand of the cube core has in one step.
constexpr uint32_t kTileRows = 64;
/// Most columns of a unit: with two rows per row of x, a vector instruction steps over them in at
/// most 255 blocks of 32 B.
constexpr uint32_t kMaxUnitCols = 768;
/// Elements of x that a vector core takes apart at a time: the longest row.
constexpr uint32_t kSplitElems = 18432;
/// UB bytes per such element. x and its digits, double buffered (4), and two halfs (4).
constexpr uint32_t kSplitUbBytesPerElem = 8;
/// Bytes of a buffer in L1, and how many there are for weights and for digits.
constexpr uint32_t kL1BufferBytes = 64 * 1024;
constexpr uint32_t kWeightBuffers = 4;
constexpr uint32_t kDigitBuffers = 3;
/// More rows than a tile's take several passes over the weights. These are in L1 meanwhile: of 256
/// columns up to this k, of 128 columns up to twice this k; beyond they are read every time.
constexpr uint32_t kResidentCols = 256;
constexpr uint32_t kResidentK = 2 * kL1BufferBytes * kWeightBuffers / kResidentCols;

}  // namespace GroupedMatmulFinalizeRoutingOp
}  // namespace ops

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILING_H
