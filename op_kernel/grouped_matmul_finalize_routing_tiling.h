// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILING_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILING_H

#include <cstdint>

/// Tiling data of GroupedMatmulFinalizeRouting, written by the host and read by the kernel. A unit
/// of work is up to unitRows rows of one expert times unitCols columns. The host does not know
/// which experts have rows, so the cores number the units themselves and take them in turn.
struct GroupedMatmulFinalizeRoutingTilingData {
    int64_t rows;          ///< rows of x
    int64_t cols;          ///< n
    int64_t tokens;        ///< rows of y
    int64_t sharedRows;    ///< rows of sharedInput
    int64_t sharedOffset;  ///< row of y that gets the first row of sharedInput
    uint32_t k;
    uint32_t experts;
    uint32_t unitCols;    ///< a multiple of 64
    uint32_t unitRows;    ///< a multiple of 64
    uint32_t splitRows;   ///< rows of x that a vector core splits into digits at a time
    uint32_t cumulative;  ///< 1: groupList holds sums, 0: counts
    float sharedWeight;
    uint32_t weightsOnce;  ///< 1: every weight is read only once
};

namespace ops {
namespace GroupedMatmulFinalizeRoutingOp {

using TilingData = GroupedMatmulFinalizeRoutingTilingData;

/// Number of tiles by which a cube core may be ahead of its vector cores. Three keep the cube core
/// from waiting; with the fourth, one slow tile does not stop it either.
constexpr uint32_t kSlots = 4;
/// Elements of a slot: all of L0C.
constexpr uint32_t kSlotBytes = 128 * 1024;
/// Rows of both digits of 64 rows: the largest number that an operand of the cube core has in one
/// step.
constexpr uint32_t kTileRows = 64;
/// Largest number of columns of a unit: with two rows per row of x, the stride of a vector
/// instruction is at most 255 blocks of 32 B.
constexpr uint32_t kMaxUnitCols = 768;
/// Elements of x that a vector core splits at a time: the longest row.
constexpr uint32_t kSplitElems = 18432;
/// UB bytes per such element: x and its digits, double buffered (4), and two halfs (4).
constexpr uint32_t kSplitUbBytesPerElem = 8;
/// Bytes of a buffer in L1, and the numbers of buffers for weights and for digits.
constexpr uint32_t kL1BufferBytes = 64 * 1024;
constexpr uint32_t kWeightBuffers = 4;
constexpr uint32_t kDigitBuffers = 3;
/// If there are more rows than a tile has, several passes use the weights. The weights stay in L1
/// meanwhile: 256 columns of them up to this k, 128 columns up to twice this k. Beyond that they
/// are read in every pass.
constexpr uint32_t kResidentCols = 256;
constexpr uint32_t kResidentK = 2 * kL1BufferBytes * kWeightBuffers / kResidentCols;

}  // namespace GroupedMatmulFinalizeRoutingOp
}  // namespace ops

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILING_H
