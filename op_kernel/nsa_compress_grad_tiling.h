// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_TILING_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_TILING_H

#include <cstdint>

namespace ops {
namespace NsaCompressGradOp {

/// Largest number of blocks of a launch; no A2 or A3 chip has more vector cores.
constexpr uint32_t kMaxBlocks = 48;
/// Rows of the smallest piece of work; compressBlockSize, compressStride and D are multiples of it.
constexpr uint32_t kUnitRows = 16;
/// Largest number of windows that a tile may touch.
constexpr uint32_t kMaxTileWindows = 24;
/// float32 lanes of a vector instruction: D is handled in chunks of this many columns.
constexpr uint32_t kLanes = 64;
/// Number of ends of sequences that a block has in UB at a time.
constexpr uint32_t kEndsInUb = 128;
/// Heads of a tile of the final sum: a transposition of 16-bit elements handles this many.
constexpr uint32_t kSumHeads = 16;

}  // namespace NsaCompressGradOp
}  // namespace ops

/// The place of a block's first row among the sequences, so that no block has to go through the
/// sequences before it.
struct NsaCompressGradStart {
    int64_t sequence;  ///< index of the sequence; the last one for rows after all of them
    int64_t firstRow;  ///< first row of that sequence
    int64_t windows;   ///< number of windows in all sequences before it
};

/// Tiling data of NsaCompressGrad, written by the host and read by the kernel. Heads are handled in
/// groups of headsPerGroup. The work is every group times every unit of 16 rows, numbered group by
/// group; blocks have contiguous, nearly equal shares. The part of a share that lies in one group
/// is a run: it ends with one partial sum of weightGrad, in slot block + group of the workspace:
/// headsPerGroup * blockSize floats, with the head as the outer index.
struct NsaCompressGradTilingData {
    int64_t rows;                  ///< T
    int64_t windows;               ///< M
    int64_t sequences;             ///< 0: one sequence of all rows, and no tensor with ends
    int64_t inputGradStrides[3];   ///< in elements
    int64_t weightGradStrides[2];  ///< in elements
    uint32_t heads;                ///< N
    uint32_t headDim;              ///< D
    uint32_t blockSize;            ///< compressBlockSize
    uint32_t stride;               ///< compressStride
    uint32_t headsPerGroup;
    uint32_t rowsPerTile;
    uint32_t windowsPerTile;  ///< largest number of windows that a tile touches, in UB as float
    uint32_t reserved;
    NsaCompressGradStart starts[ops::NsaCompressGradOp::kMaxBlocks];
};

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_TILING_H
