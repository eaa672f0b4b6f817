// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_TILING_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_TILING_H

#include <cstdint>

namespace ops {
namespace NsaCompressGradOp {

/// Largest number of blocks of a launch; no A2 or A3 chip has more vector cores.
constexpr uint32_t kMaxBlocks = 48;
/// Rows of the smallest piece of work. compressBlockSize, compressStride and D are multiples of it.
constexpr uint32_t kUnitRows = 16;
/// Largest number of windows that a tile may touch.
constexpr uint32_t kMaxTileWindows = 24;
/// Number of floats in a repeat of a vector instruction. D is processed so many columns at a time.
constexpr uint32_t kLanes = 64;
/// Number of sequence ends that a block has in UB at a time.
constexpr uint32_t kEndsInUb = 128;
/// Number of heads that WeightSum processes at a time: the edge of a transposed square.
constexpr uint32_t kSumHeads = 16;
/// Of so many tiles of a block, NsaCompressGradTilingData::tilesThroughL2 go through L2.
constexpr uint32_t kTilesOfPlan = 32;

/// Rows of outputGrad in an operand of the cube core: the edge of a fractal.
constexpr uint32_t kCubeWindows = 16;
/// Largest number of sequences that a block searches for its first row if vector cores compute both
/// gradients. If there are more, the tiling data contain the positions of the blocks.
constexpr uint32_t kMaxSearched = 32;

}  // namespace NsaCompressGradOp
}  // namespace ops

/// Tiling keys of NsaCompressGrad.
#define NSA_COMPRESS_GRAD_KEY_VECTOR 0     ///< vector cores compute both gradients
#define NSA_COMPRESS_GRAD_KEY_SEQUENCES 1  ///< the same, more than kMaxSearched sequences
#define NSA_COMPRESS_GRAD_KEY_CUBE 2       ///< cube cores compute most of weightGrad

/// The work of the cube cores. A group is compressStride rows of a sequence, the same for all
/// heads, that compressBlockSize / compressStride windows (rounded up) overlap. Vector cores
/// process all other rows. A piece is a group times cubeHeads heads. Pieces are numbered from head
/// to head, and each cube core has a contiguous, nearly equal share.
struct NsaCompressGradCubeTiling {
    int64_t groups;          ///< number of groups in all sequences; 0: vector cores do all
    uint32_t heads;          ///< number of heads of a piece
    uint32_t groupsPerTile;  ///< number of groups that a core loads at a time
    uint32_t inputGrad;      ///< 1: cube cores also compute inputGrad for the rows of the groups
    uint32_t headsOfBlock;   ///< number of heads for which a block has weights in the workspace
    /// 1: tiles of vector cores end where a sequence ends, and where rows of the groups begin or
    /// end. If inputGrad is 1, they must. If only the strides of the output forbid inputGrad, they
    /// do, too: the tiles decide in which order products of weightGrad are added.
    uint32_t splits;
};

/// The part of the tiling data that each block reads. Vector cores process heads
/// in groups of headsPerGroup. A piece of work is one group times a unit of 16 rows. Pieces are
/// numbered group by group, and each block has a contiguous, nearly equal share. The part of a
/// share in one group is a run. A run writes one partial sum of weightGrad to slot block + group of
/// the workspace: headsPerGroup * blockSize floats, with the head as the outer index. The slots of
/// the cube cores follow (WeightProducts).
struct NsaCompressGradBaseTilingData {
    int64_t rows;                  ///< T, number of rows of input
    int64_t windows;               ///< M, number of rows of outputGrad
    int64_t sequences;             ///< 0: all rows are one sequence, and there is no tensor of ends
    int64_t inputGradStrides[3];   ///< strides of the output in elements
    int64_t weightGradStrides[2];  ///< strides of the output in elements
    int64_t unitsPerGroup;         ///< number of units of a group; the last ones may have no rows
    int64_t cubeSlotsAt;           ///< offset in the workspace of the slots of the cube cores
    int64_t cubeWeightsAt;         ///< the same of the weights of the cube cores
    NsaCompressGradCubeTiling cube;
    uint32_t heads;      ///< N, number of heads of a row
    uint32_t headDim;    ///< D, number of elements of a head
    uint32_t blockSize;  ///< compressBlockSize
    uint32_t stride;     ///< compressStride
    uint32_t headsPerGroup;
    uint32_t rowsPerTile;
    uint32_t windowsPerTile;  ///< largest number of windows that overlap a tile
    uint32_t readsPastL2;     ///< 1: input and outputGrad bypass L2
    uint32_t tilesThroughL2;  ///< of kTilesOfPlan tiles of inputGrad; the others bypass L2
    uint32_t vectorBlocks;    ///< number of vector cores
};

/// The position of a block's first row among the sequences. With it, a block need not search the
/// sequences before this row.
struct NsaCompressGradStart {
    int64_t sequence;  ///< index of the sequence; the last one for rows after all sequences
    int64_t firstRow;  ///< first row of that sequence
    int64_t windows;   ///< number of windows in all sequences before that sequence
};

/// Tiling data of NsaCompressGrad, written by the host and read by the kernel.
struct NsaCompressGradTilingData : NsaCompressGradBaseTilingData {
    /// Only set and read with NSA_COMPRESS_GRAD_KEY_SEQUENCES.
    NsaCompressGradStart starts[ops::NsaCompressGradOp::kMaxBlocks];
};

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_TILING_H
