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

/// Rows of a tile.
struct RowRange {
    uint32_t begin;
    uint32_t end;
};

/// A tile: rows [row, row + rows), counted over all sequences, and the windows that cover some of
/// these rows. There are `count` windows, numbered from `first` on.
struct Tile {
    int64_t row;
    int64_t first;
    uint32_t rows;
    uint32_t count;
    uint32_t fresh;     ///< number of windows at the end of `spans` that no earlier tile has loaded
    RowRange weighted;  ///< all rows whose products for weightGrad are left to the vector core
    Span spans[kMaxTileWindows];
    /// The rows whose products with window i a cube core computes for weightGrad.
    RowRange cube[kMaxTileWindows];
};

/// Finds the windows of tiles in ascending order. Reads the ends of kEndsInUb sequences at a time.
class Windows {
public:
    __aicore__ inline void Init(GM_ADDR ends, const NsaCompressGradBaseTilingData& tiling,
                                AscendC::TPipe* pipe) {
        rows_ = tiling.rows;
        sequences_ = tiling.sequences;
        blockSize_ = tiling.blockSize;
        stride_ = tiling.stride;
        overlaps_ = tiling.cube.groups > 0 ? CeilDiv(blockSize_, stride_) : INT32_MAX;
        skips_ = tiling.cube.inputGrad != 0;
        splits_ = tiling.cube.splits != 0;
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
        count_ = Count();
    }

    /// Returns the first row of the next tile: at least `row`, at most `end`. No cube core
    /// processes it completely.
    __aicore__ inline int64_t NextRow(int64_t row, int64_t end) {
        while (splits_ && row < end) {
            while (end_ <= row && sequence_ + 1 < sequences_) {
                NextSequence();
            }
            if (!skips_ || row < CubeBegin() || row >= CubeEnd()) {
                return row;
            }
            row = CubeEnd();
        }
        return Min(row, end);
    }

    /// Returns how many of at most `rows` rows from NextRow() on are in the same tile.
    __aicore__ inline int64_t RowsFrom(int64_t row, int64_t rows) const {
        if (!splits_ || row >= end_) {
            return rows;
        }
        int64_t stop = end_;
        if (CubeBegin() < CubeEnd() && row < CubeEnd()) {
            stop = row < CubeBegin() ? CubeBegin() : CubeEnd();
        }
        return Min(rows, stop - row);
    }

    /// Finds the windows that cover rows [row, row + rows); calls must come in ascending order.
    __aicore__ inline void Find(int64_t row, uint32_t rows, Tile* tile) {
        tile->row = row;
        tile->rows = rows;
        tile->first = 0;
        tile->count = 0;
        tile->weighted = {rows, 0};
        while (true) {
            AddSequence(tile);
            if (end_ >= row + rows || sequence_ + 1 >= sequences_) {
                return;
            }
            NextSequence();
        }
    }

private:
    /// Number of int32_t words of a sequence's end. Copies do not support int64_t.
    static constexpr int64_t kWords = sizeof(int64_t) / sizeof(int32_t);

    __aicore__ inline void NextSequence() {
        windowsBefore_ += count_;
        begin_ = end_;
        ++sequence_;
        end_ = EndOf(sequence_);
        count_ = Count();
    }

    /// Returns the first row of the sequence that a cube core processes, if there are such rows.
    __aicore__ inline int64_t CubeBegin() const { return begin_ + (overlaps_ - 1) * stride_; }
    /// Returns the row after the last one of these rows.
    __aicore__ inline int64_t CubeEnd() const { return begin_ + count_ * stride_; }

    /// Returns the number of windows of the current sequence.
    __aicore__ inline int64_t Count() const {
        const int64_t length = end_ - begin_;
        return length < blockSize_ ? 0 : (length - blockSize_) / stride_ + 1;
    }

    __aicore__ inline void AddSequence(Tile* tile) const {
        const int64_t row0 = begin_ - tile->row;  // the sequence's first row in the tile
        const int64_t rows = tile->rows;
        const int64_t low = Max(-row0, 0);
        const int64_t high = Min(rows, end_ - tile->row) - row0;
        if (low >= high) {
            return;
        }
        const int64_t first = low < blockSize_ ? 0 : (low - blockSize_) / stride_ + 1;
        const int64_t end = Min((high - 1) / stride_ + 1, count_);
        if (first >= end) {
            return;
        }
        uint32_t at = tile->count;
        if (at == 0) {
            tile->first = windowsBefore_ + first;
        }
        // The tile and the windows that overlap it are so short that 32 bits are enough.
        const int32_t size = static_cast<int32_t>(blockSize_);
        const int32_t stride = static_cast<int32_t>(stride_);
        const int32_t tileRows = static_cast<int32_t>(rows);
        const uint32_t atEnd = at + static_cast<uint32_t>(end - first);
        const RowRange cube = CubeRows(row0, rows);
        if (low + row0 < cube.begin || cube.end == 0) {
            tile->weighted.begin = Min(tile->weighted.begin, static_cast<uint32_t>(low + row0));
            tile->weighted.end = Max(tile->weighted.end, cube.begin);
        }
        if (high + row0 > cube.end) {
            tile->weighted.begin = Min(tile->weighted.begin, Max(cube.end, low + row0));
            tile->weighted.end = static_cast<uint32_t>(high + row0);
        }
        for (int32_t start = static_cast<int32_t>(row0 + first * stride_); at < atEnd; ++at) {
            const int32_t from = start > 0 ? start : 0;
            const int32_t to = start + size < tileRows ? start + size : tileRows;
            tile->spans[at] = {static_cast<uint32_t>(from), static_cast<uint32_t>(to - from),
                               static_cast<uint32_t>(from - start)};
            tile->cube[at] = cube;
            start += stride;
        }
        tile->count = atEnd;
    }

    /// Returns the rows of a tile that a cube core processes: `overlaps_` windows overlap each of
    /// them. The sequence begins at row `row0` of the tile.
    __aicore__ inline RowRange CubeRows(int64_t row0, int64_t rows) const {
        const int64_t begin = row0 + (overlaps_ - 1) * stride_;
        const int64_t end = row0 + count_ * stride_;
        if (begin >= end || begin >= rows || end <= 0) {
            return {0, 0};
        }
        return {static_cast<uint32_t>(Max(begin, 0)), static_cast<uint32_t>(Min(end, rows))};
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
    bool skips_;        ///< cube cores also compute inputGrad
    bool splits_;       ///< no tile has rows of cube cores and other rows, or of two sequences
    int64_t overlaps_;  ///< number of windows that overlap a row of the cube cores
    int64_t firstInUb_ = -static_cast<int64_t>(kEndsInUb);  ///< at first no end is loaded
    int64_t sequence_ = 0;
    int64_t begin_ = 0;
    int64_t end_ = 0;
    int64_t windowsBefore_ = 0;
    int64_t count_ = 0;  ///< number of windows of the sequence
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_WINDOWS_H
