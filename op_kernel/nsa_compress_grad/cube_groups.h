// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_GROUPS_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_GROUPS_H

#include "../common/integers.h"
#include "../nsa_compress_grad_tiling.h"
#include "kernel_operator.h"

namespace ops::NsaCompressGradOp {

/// Consecutive groups of a sequence (see NsaCompressGradCubeTiling).
struct CubeTile {
    int64_t row;      ///< first row
    int64_t window;   ///< first of the windows that overlap the first group
    uint32_t groups;  ///< number of groups
};

/// Finds the groups of the cube cores in ascending order. Group g of a sequence contains the rows
/// from g * stride on. The windows from g - overlaps + 1 to g overlap it, if they all exist.
class CubeGroups {
public:
    __aicore__ inline void Init(GM_ADDR ends, const NsaCompressGradBaseTilingData& tiling) {
        rows_ = tiling.rows;
        sequences_ = tiling.sequences;
        blockSize_ = tiling.blockSize;
        stride_ = tiling.stride;
        overlaps_ = CeilDiv(blockSize_, stride_);
        endsGm_.SetGlobalBuffer((__gm__ int64_t*)ends, Max(sequences_, 1));
    }

    /// Moves to the group number `piece` of all sequences.
    __aicore__ inline void Seek(int64_t piece) {
        sequence_ = -1;
        end_ = 0;
        windows_ = 0;
        windowsBefore_ = 0;
        NextSequence();
        while (piece > windows_ - group_) {
            piece -= windows_ - group_;
            NextSequence();
        }
        group_ += piece;
    }

    /// Returns the next groups of one sequence, at most `most`. There must be one more.
    __aicore__ inline CubeTile Next(int64_t most) {
        while (group_ == windows_) {
            NextSequence();
        }
        const int64_t groups = Min(most, windows_ - group_);
        const CubeTile tile = {begin_ + group_ * stride_, windowsBefore_ + group_ - overlaps_ + 1,
                               static_cast<uint32_t>(groups)};
        group_ += groups;
        return tile;
    }

private:
    __aicore__ inline void NextSequence() {
        ++sequence_;
        windowsBefore_ += windows_;
        begin_ = end_;
        end_ = sequences_ == 0 ? rows_ : endsGm_.GetValue(sequence_);
        const int64_t length = end_ - begin_;
        windows_ = length < blockSize_ ? 0 : (length - blockSize_) / stride_ + 1;
        group_ = Min(overlaps_ - 1, windows_);
    }

    AscendC::GlobalTensor<int64_t> endsGm_;
    int64_t rows_;
    int64_t sequences_;
    int64_t blockSize_;
    int64_t stride_;
    int64_t overlaps_;  ///< number of windows that overlap a group
    int64_t sequence_;
    int64_t begin_;  ///< first row of the sequence
    int64_t end_;
    int64_t windows_;  ///< number of windows of the sequence
    int64_t windowsBefore_;
    int64_t group_;  ///< next group; `windows_` after the last one
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_GROUPS_H
