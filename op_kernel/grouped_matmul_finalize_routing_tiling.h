// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILING_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILING_H

#include <cstdint>

/// Tiling data of GroupedMatmulFinalizeRouting, written by the host and read by the kernel. A unit
/// of work is up to unitRows rows of one expert times unitCols columns. The host does not know
/// which experts have rows, so the cores number the units: block i of n computes i, i + n, ...
struct GroupedMatmulFinalizeRoutingTilingData {
    int64_t rows;          ///< number of rows of x
    int64_t cols;          ///< n, number of columns of y
    int64_t tokens;        ///< number of rows of y
    int64_t sharedRows;    ///< number of rows of sharedInput
    int64_t sharedOffset;  ///< row of y that gets the first row of sharedInput
    uint32_t k;
    uint32_t experts;
    uint32_t unitCols;    ///< columns of a unit, a multiple of 64
    uint32_t unitRows;    ///< rows of a unit, a multiple of 64
    uint32_t splitRows;   ///< rows of x that a vector core splits into int4 digits at a time
    uint32_t cumulative;  ///< 1: groupList has cumulative sums; 0: it has counts
    float sharedWeight;
    uint32_t weightsOnce;  ///< 1: every weight is read only once
};

namespace ops {
namespace GroupedMatmulFinalizeRoutingOp {

using TilingData = GroupedMatmulFinalizeRoutingTilingData;

/// Number of slots: a cube core can be so many tiles ahead of its vector cores. With three slots it
/// hardly waits; with a fourth, it need not wait even if one tile is slow.
constexpr uint32_t kSlots = 4;
/// Bytes of a slot: the size of L0C.
constexpr uint32_t kSlotBytes = 128 * 1024;
/// Largest number of rows of x in a tile. Their high and low digits are 128 rows, the most that the
/// cube core multiplies in one step.
constexpr uint32_t kTileRows = 64;
/// Largest number of columns of a unit. A row of x has two rows of sums in UB, and the length of
/// both must not exceed the largest repeat stride of a vector instruction, 255 blocks of 32 B.
constexpr uint32_t kMaxUnitCols = 768;
/// Largest number of elements of x that a vector core splits at a time: one row of the largest k.
constexpr uint32_t kSplitElems = 18432;
/// UB bytes per element of x: 4 for two buffers of x and two of its digits, 4 for two half values.
constexpr uint32_t kSplitUbBytesPerElem = 8;
/// Size of a buffer in L1 in bytes, then the number of buffers for weights and for digits.
constexpr uint32_t kL1BufferBytes = 64 * 1024;
constexpr uint32_t kWeightBuffers = 4;
constexpr uint32_t kDigitBuffers = 3;
/// A unit with more rows than a tile reads its weights in several passes. Up to k = kResidentK, 256
/// columns of weights stay in L1 for all passes; up to twice this k, 128 columns. With a larger k,
/// every pass loads the weights again.
constexpr uint32_t kResidentCols = 256;
constexpr uint32_t kResidentK = 2 * kL1BufferBytes * kWeightBuffers / kResidentCols;

}  // namespace GroupedMatmulFinalizeRoutingOp
}  // namespace ops

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILING_H
