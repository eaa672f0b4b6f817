// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILING_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILING_H

#include <cstdint>

/// The panels of y, the columns whose weights are read together. All have `cols` columns, but the
/// last two panels, from column `tail` on, have `tailCols` columns or fewer: they divide what is
/// left, so that no panel is narrow. `weight` is the cost of a step of all panels, `tailWeight` of
/// one of the last two; the other panels cost as much as they have columns.
struct GroupedMatmulFinalizeRoutingPanels {
    uint32_t cols;
    uint32_t tail;
    uint32_t tailCols;
    uint32_t tailWeight;
    uint32_t weight;
};

/// Tiling data of GroupedMatmulFinalizeRouting, written by the host and read by the kernel. The
/// host does not know how many rows each expert has. So the cores read groupList, and each core
/// computes its share of the work itself (units.h).
struct GroupedMatmulFinalizeRoutingTilingData {
    int64_t rows;          ///< number of rows of x
    int64_t cols;          ///< n, number of columns of y
    int64_t tokens;        ///< number of rows of y
    int64_t sharedRows;    ///< number of rows of sharedInput
    int64_t sharedOffset;  ///< row of y that gets the first row of sharedInput
    uint32_t k;
    uint32_t experts;
    GroupedMatmulFinalizeRoutingPanels few;   ///< of an expert with up to kFewRows rows
    GroupedMatmulFinalizeRoutingPanels some;  ///< of an expert with up to kSomeRows rows
    GroupedMatmulFinalizeRoutingPanels more;  ///< of an expert with up to kTileRows rows
    GroupedMatmulFinalizeRoutingPanels many;  ///< of an expert with more rows
    uint32_t splitRows;   ///< rows of x that a vector core splits into int4 digits at a time
    uint32_t cumulative;  ///< 1: groupList has cumulative sums; 0: it has counts
    float sharedWeight;
    uint32_t stepK;  ///< rows of weights in a step; a tile is divided between blocks at steps
    /// Largest number of rows of weights that the vector cores unpack to 8 bits at a time; 0: they
    /// split x into digits.
    uint32_t unpackK;
    uint32_t blockSlots;  ///< slots of a block for sums
    /// Largest number of rows of an expert with panels `few`, and of one with a single tile. Tiles
    /// are smaller if there are so few that several cores share each tile and have few steps of k:
    /// all of these cores write sums of the whole tile.
    uint32_t fewRows;
    uint32_t wholeRows;
    uint32_t prefetch;  ///< 1: the vector cores load weights into L2 before the cube cores
};

namespace ops {
namespace GroupedMatmulFinalizeRoutingOp {

using TilingData = GroupedMatmulFinalizeRoutingTilingData;
using Panels = GroupedMatmulFinalizeRoutingPanels;

/// Number of slots: a cube core can be so many tiles ahead of its vector cores. With three slots it
/// hardly waits; with a fourth, it need not wait even if one tile is slow.
constexpr uint32_t kSlots = 4;
/// Bytes of a slot: the size of L0C.
constexpr uint32_t kSlotBytes = 128 * 1024;
/// A tile may be divided along k between blocks, which follow each other. The block with the first
/// part adds up the sums of all parts. All other parts are the first work of their blocks, which
/// keep their sums in this slot, so that no block waits for these sums to be read.
constexpr uint32_t kPartSlot = kSlots;
constexpr uint32_t kBlockSlots = kSlots + 1;

/// Bytes of a vector core's notice that the sums of a part are in GM, and of its words that are not
/// zero later.
constexpr uint32_t kNoticeBytes = 512;
constexpr uint32_t kNoticeWordBytes = 128;
/// Largest number of rows of x in a tile. Their high and low digits are 128 rows, the most that the
/// cube core multiplies in one step.
constexpr uint32_t kTileRows = 64;
/// Experts with up to kFewRows rows have panels (weights that are read together) of up to kFewCols
/// columns, 512 B: HBM has its full speed with rows of this length. The sums of kFewRows rows and
/// kFewCols columns fill L0C. With more rows, L0C has room for fewer columns, up to a tile of
/// kTileRows rows and kMoreCols columns.
constexpr uint32_t kFewRows = 16;
constexpr uint32_t kFewCols = 1024;
constexpr uint32_t kSomeRows = 32;
constexpr uint32_t kSomeCols = 512;
constexpr uint32_t kMoreCols = 256;
/// GM is read in granules of this size. Reads are slow if they start inside a granule and cross a
/// line of 512 B.
constexpr uint32_t kGranuleBytes = 128;

/// Returns the bytes from row to row of digits: all rows start at a granule.
constexpr uint32_t DigitPitch(uint32_t k) {
    return (k / 2 + kGranuleBytes - 1) / kGranuleBytes * kGranuleBytes;
}

/// Largest number of elements of x that a vector core splits at a time: one row of the largest k.
constexpr uint32_t kSplitElems = 18432;
/// UB bytes per element of x: 4 for two buffers of x and two of its digits, 4 for two half values.
constexpr uint32_t kSplitUbBytesPerElem = 8;
/// Size of a buffer in L1 in bytes, then the number of buffers for weights and for digits.
constexpr uint32_t kL1BufferBytes = 64 * 1024;
constexpr uint32_t kWeightBuffers = 4;
constexpr uint32_t kFirstBuffers = 2;  // of weights, that are filled before there are digits
constexpr uint32_t kDigitBuffers = 3;
/// Experts with more than kTileRows rows have tiles of kTileRows rows. Up to k = kResidentK, 256
/// columns of weights stay in L1 for all tiles; up to twice this k, 128 columns. With a larger k,
/// every tile loads the weights again.
constexpr uint32_t kResidentCols = 256;
constexpr uint32_t kResidentK = 2 * kL1BufferBytes * kWeightBuffers / kResidentCols;

/// With many rows per expert, the vector cores unpack the weights of a unit to 8 bits, into one of
/// kUnpackSlots slots of their block. The cube core then multiplies rows of x, without digits, so
/// there are half as many sums. The panel of weights stays in L1 for all tiles of kUnpackTileRows
/// rows. So with a larger k the panels have fewer columns, or the sums over k have several parts,
/// which the cube core adds up in the slots of up to kUnpackGroup tiles.
constexpr uint32_t kUnpackSlots = 2;
constexpr uint32_t kUnpackCols = 192;  ///< largest number of columns of a panel
constexpr uint32_t kUnpackTileRows = 128;
constexpr uint32_t kUnpackGroup = 16;
/// Number of buffers in L1 for unpacked weights, and their size.
constexpr uint32_t kUnpackBuffers = 4;
constexpr uint32_t kUnpackBufferBytes = 96 * 1024;
constexpr uint32_t kUnpackBytes = kUnpackBuffers * kUnpackBufferBytes;
/// A slot also has sums of columns, from each vector core of the block.
constexpr uint32_t kColumnSumsBytes = 1024;
constexpr uint32_t kUnpackSlotBytes = kUnpackBytes + 2 * kColumnSumsBytes;

}  // namespace GroupedMatmulFinalizeRoutingOp
}  // namespace ops

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILING_H
