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

}  // namespace NsaCompressGradOp
}  // namespace ops

/// The position of a block's first row among the sequences. With it, a block need not search the
/// sequences before this row.
struct NsaCompressGradStart {
    int64_t sequence;  ///< index of the sequence; the last one for rows after all sequences
    int64_t firstRow;  ///< first row of that sequence
    int64_t windows;   ///< number of windows in all sequences before that sequence
};

/// Tiling data of NsaCompressGrad, written by the host and read by the kernel. Heads are processed
/// in groups of headsPerGroup. A piece of work is one group times a unit of 16 rows. Pieces are
/// numbered group by group, and each block has a contiguous, nearly equal share. The part of a
/// share in one group is a run. A run writes one partial sum of weightGrad to slot block + group of
/// the workspace: headsPerGroup * blockSize floats, with the head as the outer index.
struct NsaCompressGradTilingData {
    int64_t rows;                  ///< T, number of rows of input
    int64_t windows;               ///< M, number of rows of outputGrad
    int64_t sequences;             ///< 0: all rows are one sequence, and there is no tensor of ends
    int64_t inputGradStrides[3];   ///< strides of the output in elements
    int64_t weightGradStrides[2];  ///< strides of the output in elements
    uint32_t heads;                ///< N, number of heads of a row
    uint32_t headDim;              ///< D, number of elements of a head
    uint32_t blockSize;            ///< compressBlockSize
    uint32_t stride;               ///< compressStride
    uint32_t headsPerGroup;
    uint32_t rowsPerTile;
    uint32_t windowsPerTile;  ///< largest number of windows that overlap a tile
    uint32_t reserved;
    NsaCompressGradStart starts[ops::NsaCompressGradOp::kMaxBlocks];
};

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_TILING_H
