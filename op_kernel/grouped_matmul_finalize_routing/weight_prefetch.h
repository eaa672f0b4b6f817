// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_WEIGHT_PREFETCH_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_WEIGHT_PREFETCH_H

#include "../common/copy.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "kernel_operator.h"
#include "tiles.h"
#include "units.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// Loads weights that the cube core reads next, so that they are in L2. The vector cores do this
/// because the cube core's own reads can be too short for HBM: its panels are narrow if an expert
/// has many rows. And if rows of weights do not start at multiples of 128 B, the cube core's copies
/// read the lines of 512 B at both ends of a row in full, again and again. Here, every read starts
/// at a multiple of 128 B. The data are not used: all copies have the same destination.
class WeightPrefetch {
public:
    __aicore__ inline void Init(GM_ADDR w, const Units& units, const TilingData* tiling,
                                AscendC::TPipe* pipe) {
        tiling_ = tiling;
        rowBytes_ = static_cast<uint32_t>(tiling->cols / 2);
        bytes_ = static_cast<int64_t>(tiling->experts) * tiling->k * rowBytes_;
        w_.SetGlobalBuffer((__gm__ int8_t*)w, static_cast<uint64_t>(bytes_));
        pipe->InitBuffer(scratch_, kScratchBytes);
        units_ = units;
    }

    /// Loads this vector core's part of the weights of the next unit. The two vector cores take
    /// groups of rows by turns, so that they stay ahead of the cube core.
    __aicore__ inline void Next() {
        Unit unit;
        const uint32_t before = rowBytes_ % kGranuleBytes;
        if (!units_.Next(unit) || (before == 0 && unit.tileRows <= kFewRows)) {
            return;
        }
        // The distance of the reads is a multiple of 128 B, the nearest one to the rows' distance.
        const uint32_t after = kGranuleBytes - before;
        const uint32_t drift = Min(before, after);
        const uint32_t pitch = before <= after ? rowBytes_ - before : rowBytes_ + after;
        const uint32_t bytes = unit.cols / 2;
        uint32_t rows = drift == 0 ? kGroupBytes / bytes : Max(1 + kMostDrift / drift, kLeastRows);
        if (unit.cols == tiling_->cols) {
            rows = 2 * kGroupBytes / (kFewCols / 2);  // the rows are one run
        }
        const uint32_t core = static_cast<uint32_t>(AscendC::GetSubBlockIdx());
        const uint32_t begin = unit.kBegin + (drift == 0 ? 0 : RowsOfCube(unit));
        for (uint32_t k = begin + core * rows; k < unit.kEnd; k += 2 * rows) {
            LoadRows(
                (static_cast<int64_t>(unit.expert) * tiling_->k + k) * rowBytes_ + unit.col / 2,
                Min(rows, unit.kEnd - k), bytes, drift, pitch);
        }
    }

private:
    static constexpr uint32_t kScratchBytes = 32 * 1024;
    static constexpr uint32_t kGroupBytes = kScratchBytes / 4;
    static constexpr uint32_t kMostDrift = 64;
    static constexpr uint32_t kLeastRows = 4;  ///< of a copy: so many are faster than one by one

    /// Returns the number of rows that the cube core loads before there are digits. If the unit is
    /// the first one, the vector cores come too late for these rows.
    __aicore__ inline uint32_t RowsOfCube(const Unit& unit) {
        Tiles tiles;
        tiles.Start(unit, *tiling_);
        const uint32_t rows = first_ ? kFirstBuffers * tiles.ChunkK() : 0;
        first_ = false;
        return rows;
    }

    /// Loads `bytes` bytes of each row. All reads start at multiples of 128 B. Their distance,
    /// `pitch`, is `drift` bytes less or more than the distance of the rows, so the reads are
    /// longer by the whole drift. If they are longer than their distance, all rows are one run.
    __aicore__ inline void LoadRows(int64_t first, uint32_t rows, uint32_t bytes, uint32_t drift,
                                    uint32_t pitch) {
        const uint32_t all = (rows - 1) * drift;
        const int64_t begin = pitch > rowBytes_ ? first - all : first;
        const auto before = static_cast<uint32_t>(begin % kGranuleBytes);
        const uint32_t length = RoundUp(before + bytes + all, kGranuleBytes);
        AscendC::DataCopyParams params(static_cast<uint16_t>(rows),
                                       static_cast<uint16_t>(length / kBlockBytes), 0, 0);
        if (length > pitch) {
            params.blockCount = 1;
            params.blockLen = static_cast<uint16_t>(((rows - 1) * pitch + length) / kBlockBytes);
        } else {
            params.srcStride = static_cast<uint16_t>((pitch - length) / kBlockBytes);
        }
        // Reads that begin before the weights or end after them are left out.
        const int64_t end = begin - before + static_cast<int64_t>(rows - 1) * pitch + length;
        if (begin >= 0 && end <= bytes_) {
            AscendC::DataCopy(Scratch(params.blockCount * params.blockLen * kBlockBytes),
                              w_[begin - before], params);
        }
    }

    /// Returns a destination of `bytes` bytes. If no free bytes are left, MTE2 first ends its
    /// copies.
    __aicore__ inline AscendC::LocalTensor<int8_t> Scratch(uint32_t bytes) {
        if (used_ + bytes > kScratchBytes) {
            AscendC::PipeBarrier<PIPE_MTE2>();
            used_ = 0;
        }
        used_ += bytes;
        return scratch_.Get<int8_t>()[used_ - bytes];
    }

    const TilingData* tiling_ = nullptr;
    AscendC::GlobalTensor<int8_t> w_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratch_;
    Units units_;
    int64_t bytes_ = 0;
    uint32_t rowBytes_ = 0;
    bool first_ = true;
    uint32_t used_ = 0;  ///< bytes of scratch_ since the last barrier
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_WEIGHT_PREFETCH_H
