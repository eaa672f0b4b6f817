// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_TILING_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_TILING_H

#include <cstdint>

namespace ops {
namespace NsaCompressGradOp {

/// Most blocks of a launch; no A2 or A3 chip has more vector cores.
constexpr uint32_t kMaxBlocks = 48;
/// Rows of the smallest piece of work, and the grain of compressBlockSize, compressStride and D.
constexpr uint32_t kUnitRows = 16;
/// Most windows that a tile may touch.
constexpr uint32_t kMaxTileWindows = 24;
/// float32 lanes of a vector instruction: D is worked on in chunks of as many columns.
constexpr uint32_t kLanes = 64;
/// Ends of sequences that a block has in UB at a time.
constexpr uint32_t kEndsInUb = 128;
/// Heads of a tile of the final sum: what a transposition of 16-bit elements takes.
constexpr uint32_t kSumHeads = 16;

}  // namespace NsaCompressGradOp
}  // namespace ops

/// Where a block's first row lies among the sequences, so that no block walks through those before.
struct NsaCompressGradStart {
    int64_t sequence;  ///< index of the sequence, the last one for rows behind all of them
    int64_t firstRow;  ///< of that sequence
    int64_t windows;   ///< in all sequences before it
};

/// Tiling data of NsaCompressGrad, written by the host and read by the kernel.
///
/// Heads are taken in groups of headsPerGroup. The work is every group times every unit of 16 rows,
/// numbered group by group; blocks have contiguous, nearly equal shares. The part of a share that
/// lies in one group is a run: it ends with one partial sum of weightGrad, in slot block + group of
/// the workspace, headsPerGroup * blockSize floats with the head outside.
struct NsaCompressGradTilingData {
    int64_t rows;                  ///< T
    int64_t windows;               ///< M
    int64_t sequences;             ///< 0: one sequence of all rows, no tensor with ends
    int64_t inputGradStrides[3];   ///< in elements
    int64_t weightGradStrides[2];  ///< in elements
    uint32_t heads;                ///< N
    uint32_t headDim;              ///< D
    uint32_t blockSize;            ///< compressBlockSize
    uint32_t stride;               ///< compressStride
    uint32_t headsPerGroup;
    uint32_t rowsPerTile;
    uint32_t windowsPerTile;  ///< most windows that a tile touches, in UB as float
    uint32_t reserved;
    NsaCompressGradStart starts[ops::NsaCompressGradOp::kMaxBlocks];
};

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_TILING_H
