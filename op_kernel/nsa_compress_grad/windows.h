// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_WINDOWS_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_WINDOWS_H

#include "../common/copy.h"
#include "../common/sync.h"
#include "../nsa_compress_grad_tiling.h"
#include "kernel_operator.h"

namespace ops::NsaCompressGradOp {

/// The part of one window that lies in a tile.
struct Span {
    uint32_t row;  ///< first row, counted from the tile's first row
    uint32_t rows;
    uint32_t weightRow;  ///< the same row, counted from the window's first row
};

/// A tile: rows [row, row + rows), counted over all sequences, and the windows that cover some of
/// these rows. There are `count` windows, numbered from `first` on.
struct Tile {
    int64_t row;
    int64_t first;
    uint32_t rows;
    uint32_t count;
    uint32_t fresh;  ///< number of windows at the end of `spans` that no earlier tile has loaded
    Span spans[kMaxTileWindows];
};

/// Finds the windows of tiles in ascending order. Reads the ends of kEndsInUb sequences at a time.
class Windows {
public:
    __aicore__ inline void Init(GM_ADDR ends, const NsaCompressGradTilingData& tiling,
                                AscendC::TPipe* pipe) {
        rows_ = tiling.rows;
        sequences_ = tiling.sequences;
        blockSize_ = tiling.blockSize;
        stride_ = tiling.stride;
        if (sequences_ > 0) {
            endsGm_.SetGlobalBuffer((__gm__ int32_t*)ends, sequences_ * kWords);
            pipe->InitBuffer(ends_, kEndsInUb * sizeof(int64_t));
        }
    }

    __aicore__ inline void Seek(const NsaCompressGradStart& start) {
        sequence_ = start.sequence;
        begin_ = start.firstRow;
        windowsBefore_ = start.windows;
        end_ = EndOf(sequence_);
    }

    /// Finds the windows that cover rows [row, row + rows); calls must come in ascending order.
    __aicore__ inline void Find(int64_t row, uint32_t rows, Tile* tile) {
        tile->row = row;
        tile->rows = rows;
        tile->first = 0;
        tile->count = 0;
        while (true) {
            AddSequence(tile);
            if (end_ >= row + rows || sequence_ + 1 >= sequences_) {
                return;
            }
            windowsBefore_ += Count();
            begin_ = end_;
            ++sequence_;
            end_ = EndOf(sequence_);
        }
    }

private:
    /// Number of int32_t words of a sequence's end. Copies do not support int64_t.
    static constexpr int64_t kWords = sizeof(int64_t) / sizeof(int32_t);

    /// Returns the number of windows of the current sequence.
    __aicore__ inline int64_t Count() const {
        const int64_t length = end_ - begin_;
        return length < blockSize_ ? 0 : (length - blockSize_) / stride_ + 1;
    }

    __aicore__ inline void AddSequence(Tile* tile) const {
        const int64_t tileEnd = tile->row + tile->rows;
        const int64_t low = Max(tile->row, begin_) - begin_;
        const int64_t high = Min(tileEnd, end_) - begin_;
        if (low >= high) {
            return;
        }
        const int64_t first = low < blockSize_ ? 0 : (low - blockSize_) / stride_ + 1;
        const int64_t end = Min((high - 1) / stride_ + 1, Count());
        for (int64_t window = first; window < end; ++window) {
            const int64_t start = begin_ + window * stride_;
            const int64_t from = Max(start, tile->row);
            if (tile->count == 0) {
                tile->first = windowsBefore_ + window;
            }
            Span& span = tile->spans[tile->count++];
            span.row = static_cast<uint32_t>(from - tile->row);
            span.rows = static_cast<uint32_t>(Min(start + blockSize_, tileEnd) - from);
            span.weightRow = static_cast<uint32_t>(from - start);
        }
    }

    __aicore__ inline int64_t EndOf(int64_t sequence) {
        if (sequences_ == 0) {
            return rows_;
        }
        if (sequence < firstInUb_ || sequence >= firstInUb_ + kEndsInUb) {
            LoadEnds(sequence);
        }
        return ends_.Get<int64_t>().GetValue(static_cast<uint32_t>(sequence - firstInUb_));
    }

    __aicore__ inline void LoadEnds(int64_t sequence) {
        const int64_t count = Min(sequences_ - sequence, kEndsInUb);
        Load(ends_.Get<int32_t>(), endsGm_[sequence * kWords],
             static_cast<uint32_t>(count * kWords));
        Sync<AscendC::HardEvent::MTE2_S>();
        firstInUb_ = sequence;
    }

    AscendC::GlobalTensor<int32_t> endsGm_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> ends_;
    int64_t rows_;
    int64_t sequences_;
    int64_t blockSize_;
    int64_t stride_;
    int64_t firstInUb_ = -static_cast<int64_t>(kEndsInUb);  ///< at first no end is loaded
    int64_t sequence_ = 0;
    int64_t begin_ = 0;
    int64_t end_ = 0;
    int64_t windowsBefore_ = 0;
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_WINDOWS_H
