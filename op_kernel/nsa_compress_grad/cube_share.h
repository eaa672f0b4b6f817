// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_SHARE_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_SHARE_H

#include "../common/shares.h"
#include "../nsa_compress_grad_tiling.h"
#include "kernel_operator.h"

namespace ops::NsaCompressGradOp {

/// The pieces of a block's cube core (see NsaCompressGradCubeTiling), and their heads.
struct CubeShare {
    __aicore__ inline void Init(const NsaCompressGradBaseTilingData& tiling, int64_t block) {
        const int64_t headGroups = CeilDiv(tiling.heads, tiling.cube.heads);
        // A block has one cube core and two vector cores.
        pieces = Shares(tiling.cube.groups * headGroups, tiling.vectorBlocks / 2).Of(block);
        heads = {0, 0};
        if (pieces.Size() > 0) {
            heads.begin = pieces.begin / tiling.cube.groups * tiling.cube.heads;
            heads.end =
                Min(tiling.heads, CeilDiv(pieces.end, tiling.cube.groups) * tiling.cube.heads);
        }
    }

    Range pieces;
    Range heads;
};

/// Returns the number of rows of a group that all windows of the group reach: the first of them
/// ends after these rows.
__aicore__ inline uint32_t RowsOfAllWindows(const NsaCompressGradBaseTilingData& tiling) {
    const uint32_t overlaps = CeilDiv(tiling.blockSize, tiling.stride);
    return tiling.blockSize - (overlaps - 1) * tiling.stride;
}

/// Returns the number of elements of the weights of a head for the cube core.
__aicore__ inline uint32_t CubeWeightElems(const NsaCompressGradBaseTilingData& tiling) {
    return tiling.stride * kCubeWindows;
}

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_SHARE_H
