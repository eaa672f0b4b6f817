// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FINALIZE_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FINALIZE_H

#include "../common/copy.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "column_factors.h"
#include "event.h"
#include "flags.h"
#include "kernel_operator.h"
#include "row_factors.h"
#include "tiles.h"
#include "units.h"
#include "unpack.h"
#include "weight_prefetch.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

struct FactorAddresses {
    GM_ADDR scale;
    GM_ADDR bias;
    GM_ADDR pertokenScale;
    GM_ADDR logit;
    GM_ADDR rowIndex;
};

/// The work of the vector cores: read the cube core's tiles from slots in GM, compute
/// ((16 * hi + lo) * scale + bias) * (pertokenScale * logit)
/// in float, and add each row to its row of y. Before the multiplication by scale only one value is
/// rounded: the sum of both digits, whose exact value has up to 26 bits.
class Finalize {
public:
    __aicore__ inline void Init(const FactorAddresses& factors, GM_ADDR w, const Units& units,
                                GM_ADDR slots, GM_ADDR y, Unpack* unpack, const TilingData* tiling,
                                AscendC::TPipe* pipe) {
        tiling_ = tiling;
        unpack_ = unpack;
        digits_ = unpack == nullptr ? 2 : 1;
        const int64_t block = AscendC::GetBlockIdx() / AscendC::GetTaskRation();
        slots_.SetGlobalBuffer((__gm__ int32_t*)slots + block * kSlots * kSlotElems,
                               kSlots * kSlotElems);
        y_.SetGlobalBuffer((__gm__ float*)y, tiling->tokens * tiling->cols);
        columns_.Init(factors.scale, factors.bias, tiling, pipe);
        rows_.Init(factors.pertokenScale, factors.logit, factors.rowIndex, tiling, pipe);
        shareElems_ = unpack == nullptr ? kSlotElems / 2 : kUnpackTileRows / 2 * kUnpackCols;
        pipe->InitBuffer(shares_, 2 * shareElems_ * sizeof(float));
        for (uint32_t i = 0; i < 2; ++i) {
            loaded_[i].Init();
            computed_[i].Init();
            free_[i].Init();
            free_[i].Set();
        }
        units_ = units;
        if (unpack != nullptr) {
            unpack->InitBuffers(pipe);
        }
        if (tiling->prefetch != 0) {
            prefetch_.Init(w, units, tiling, pipe);
            prefetch_.Next();
        }
    }

    __aicore__ inline void Process() {
        AscendC::SetAtomicAdd<float>();
        Unit unit;
        while (units_.Next(unit)) {
            firstOfK_ = unit.kBegin == 0;
            Tiles tiles;
            tiles.Start(unit, *tiling_);
            Tile tile;
            while (tiles.Next(tile)) {
                LoadFactors(unit, tile);
                if (tile.firstPass && tile.firstPart) {
                    LoadWeightsAhead();
                }
                Run(tile);
                FreeFactors(tile);
            }
        }
        AscendC::SetAtomicNone();
        Finish();
    }

private:
    static constexpr uint32_t kSlotElems = kSlotBytes / sizeof(int32_t);
    static constexpr uint32_t kRepeatElems = 64;
    /// If a tile has at least kRowsToShare rows and at most kColsToShare columns, the two vector
    /// cores of a block divide its rows, otherwise its columns. So accesses to GM are long, and
    /// both cores have work for any number of rows. The strides of vector instructions have 8 bits:
    /// two rows of sums, one per digit, must not be longer than 255 blocks of 32 B.
    static constexpr uint32_t kRowsToShare = 8;
    static constexpr uint32_t kColsToShare = kFewCols / 2;
    /// Rows for each row of y from which on rows of a tile are added up first.
    static constexpr int64_t kRowsToMerge = 16;

    /// The part of a tile that one of the two vector cores computes.
    struct Share {
        uint32_t row;
        uint32_t rows;
        uint32_t col;
        uint32_t cols;
        uint32_t pitch;  ///< floats from row to row in UB; each row of x has one row per digit
    };

    __aicore__ inline static Share ShareOf(const Tile& tile) {
        const uint32_t core = static_cast<uint32_t>(AscendC::GetSubBlockIdx());
        Share share = {0, tile.rows, 0, tile.cols, tile.Pitch()};
        if (tile.rows >= kRowsToShare && tile.cols <= kColsToShare) {
            const uint32_t half = CeilDiv(tile.rows, 2U);
            share.row = core * half;
            share.rows = core == 0 ? half : tile.rows - half;
        } else {
            const uint32_t half = RoundUp(CeilDiv(tile.cols, 2U), kElemsPerBlock<float>);
            share.col = core * half;
            share.cols = core == 0 ? half : tile.cols - half;
            share.pitch = share.cols;
        }
        return share;
    }

    /// Makes the next unit's weights ready for the cube core.
    __aicore__ inline void LoadWeightsAhead() {
        if (tiling_->prefetch != 0) {
            prefetch_.Next();
        }
        if (unpack_ != nullptr) {
            AscendC::SetAtomicNone();
            unpack_->Next();
            AscendC::SetAtomicAdd<float>();
        }
    }

    __aicore__ inline void LoadFactors(const Unit& unit, const Tile& tile) {
        if (tile.firstPass && tile.firstPart) {
            columns_.Load(unit.expert, unit.col, unit.cols);
            if (unpack_ != nullptr) {
                columns_.LoadSums(unpack_->Sums(unitsDone_++), unit.cols);
            }
        }
        if (tile.firstPart) {
            rows_.Load(tile.row, tile.rows);
        }
    }

    __aicore__ inline void FreeFactors(const Tile& tile) {
        if (tile.lastPart) {
            rows_.Free();
        }
        if (tile.lastPass && tile.lastPart) {
            columns_.Free();
        }
    }

    __aicore__ inline void Run(const Tile& tile) {
        const Share share = ShareOf(tile);
        buffer_ = 1 - buffer_;
        const AscendC::LocalTensor<float> data = shares_.Get<float>()[buffer_ * shareElems_];
        free_[buffer_].Wait();
        CopyIn(data.ReinterpretCast<int32_t>(), tile, share);
        if (share.cols != 0) {
            loaded_[buffer_].Set();
            loaded_[buffer_].Wait();
            Compute(data, share, tile.part + share.col);
        }
        if (tile.firstPart) {
            rows_.WaitForTargets();
        }
        if (share.cols != 0) {
            // If there are so few tokens, many rows have the same target as the row before.
            const bool merge = tile.rows >= kRowsToMerge * tiling_->tokens;
            if (merge) {
                MergeRows(data, share);
            }
            computed_[buffer_].Set();
            computed_[buffer_].Wait();
            Scatter(data, tile, share, merge);
        }
        free_[buffer_].Set();
    }

    __aicore__ inline void CopyIn(const AscendC::LocalTensor<int32_t>& data, const Tile& tile,
                                  const Share& share) {
        AscendC::CrossCoreWaitFlag(kFlagTile);
        const uint32_t pitch = tile.Pitch();
        if (share.cols != 0) {
            AscendC::DataCopyParams params;
            params.blockCount = static_cast<uint16_t>(digits_ * share.rows);
            params.blockLen = static_cast<uint16_t>(share.pitch / kElemsPerBlock<float>);
            params.srcStride = static_cast<uint16_t>((pitch - share.pitch) / kElemsPerBlock<float>);
            params.dstStride = 0;
            AscendC::DataCopy(
                data,
                slots_[taken_ % kSlots * kSlotElems + digits_ * share.row * pitch + share.col],
                params);
        }
        AscendC::CrossCoreSetFlag<2, PIPE_MTE2>(kFlagSlot);
        ++taken_;
    }

    /// The instructions that compute a share. Each has several repeats of up to 64 columns: the
    /// rows of 64 columns, or all columns of a row. The longer of the two needs fewer instructions.
    struct Loop {
        uint32_t count;   ///< number of instructions
        uint32_t data;    ///< elements of the sums from instruction to instruction
        uint32_t column;  ///< the same of the columns' factors
        uint32_t row;     ///< the same of the rows' factors
        uint8_t repeats;
        uint8_t dataStep;  ///< blocks of the sums from repeat to repeat
        uint8_t columnStep;
        uint8_t rowStep;
    };

    __aicore__ inline Loop LoopOf(const Share& share) const {
        const uint32_t groups = CeilDiv(share.cols, kRepeatElems);
        const uint32_t rowElems = digits_ * share.pitch;
        const auto blocks = static_cast<uint8_t>(rowElems / kElemsPerBlock<float>);
        if (share.rows < groups && share.cols % kRepeatElems == 0) {
            constexpr uint8_t kStep = kRepeatElems / kElemsPerBlock<float>;
            return {share.rows, rowElems, 0, kElemsPerBlock<float>, static_cast<uint8_t>(groups),
                    kStep,      kStep,    0};
        }
        return {groups, kRepeatElems, kRepeatElems, 0, static_cast<uint8_t>(share.rows), blocks, 0,
                1};
    }

    /// Computes the results in place, in the rows of the low digits.
    __aicore__ inline void Compute(const AscendC::LocalTensor<float>& data, const Share& share,
                                   uint32_t col) {
        const AscendC::LocalTensor<float> low = data[(digits_ - 1) * share.pitch];
        const AscendC::LocalTensor<float> scale = columns_.Scale()[col];
        const AscendC::LocalTensor<float> bias = columns_.Bias()[col];
        const AscendC::LocalTensor<float> factors = rows_.Factors(share.row);
        const Loop loop = LoopOf(share);
        const AscendC::BinaryRepeatParams byColumn(1, 1, 1, loop.dataStep, loop.dataStep,
                                                   loop.columnStep);
        const AscendC::BinaryRepeatParams byRow(1, 1, 0, loop.dataStep, loop.dataStep,
                                                loop.rowStep);
        if (unpack_ == nullptr) {
            AddDigits(data, share, loop);
        } else {
            SubtractColumnSums(data, share, loop, col);
        }
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < loop.count; ++i) {
            AscendC::Mul(low[i * loop.data], low[i * loop.data], scale[i * loop.column],
                         Columns(share, loop, i), loop.repeats, byColumn);
        }
        AscendC::PipeBarrier<PIPE_V>();
        // Only the first part of the sum over k gets the bias.
        for (uint32_t i = 0; firstOfK_ && i < loop.count; ++i) {
            AscendC::Add(low[i * loop.data], low[i * loop.data], bias[i * loop.column],
                         Columns(share, loop, i), loop.repeats, byColumn);
        }
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < loop.count; ++i) {
            AscendC::Mul(low[i * loop.data], low[i * loop.data], factors[i * loop.row],
                         Columns(share, loop, i), loop.repeats, byRow);
        }
    }

    /// Converts the sums of both digits to float, and adds 16 times the high ones to the low ones.
    __aicore__ inline void AddDigits(const AscendC::LocalTensor<float>& data, const Share& share,
                                     const Loop& loop) {
        const AscendC::LocalTensor<float> low = data[share.pitch];
        const AscendC::UnaryRepeatParams bothDigits(1, 1, loop.dataStep, loop.dataStep);
        AscendC::Cast(data, data.ReinterpretCast<int32_t>(), AscendC::RoundMode::CAST_RINT,
                      2 * share.rows * share.pitch);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < loop.count; ++i) {
            AscendC::Axpy(low[i * loop.data], data[i * loop.data], 16.0f, Columns(share, loop, i),
                          loop.repeats, bothDigits);
        }
    }

    /// Subtracts 8 times the sums of the weights' columns, and converts the result to float.
    __aicore__ inline void SubtractColumnSums(const AscendC::LocalTensor<float>& data,
                                              const Share& share, const Loop& loop, uint32_t col) {
        const AscendC::LocalTensor<int32_t> words = data.ReinterpretCast<int32_t>();
        const AscendC::LocalTensor<int32_t> sums = columns_.Sums()[col];
        const AscendC::BinaryRepeatParams byColumn(1, 1, 1, loop.dataStep, loop.dataStep,
                                                   loop.columnStep);
        for (uint32_t i = 0; i < loop.count; ++i) {
            AscendC::Sub(words[i * loop.data], words[i * loop.data], sums[i * loop.column],
                         Columns(share, loop, i), loop.repeats, byColumn);
        }
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(data, words, AscendC::RoundMode::CAST_RINT, share.rows * share.pitch);
    }

    /// Returns the mask of instruction `i`.
    __aicore__ inline static uint64_t Columns(const Share& share, const Loop& loop, uint32_t i) {
        return Min(share.cols - i * loop.column, kRepeatElems);
    }

    /// Adds rows that follow each other and have the same target. The last of them gets the sum.
    /// Each row that is added to y makes other cores wait that add to the same row of y.
    __aicore__ inline void MergeRows(const AscendC::LocalTensor<float>& data, const Share& share) {
        const AscendC::LocalTensor<int64_t> targets = rows_.Targets();
        const uint32_t step = digits_ * share.pitch;
        const auto cols = static_cast<int32_t>(share.cols);
        const uint32_t end = share.row + share.rows;
        uint32_t before = step - share.pitch;
        int64_t last = targets.GetValue(share.row);
        for (uint32_t row = share.row + 1; row < end; ++row) {
            const int64_t target = targets.GetValue(row);
            if (target == last) {
                AscendC::PipeBarrier<PIPE_V>();
                AscendC::Add(data[before + step], data[before + step], data[before], cols);
            }
            before += step;
            last = target;
        }
    }

    /// Adds the rows to y; with `merged`, only the last one of rows that follow each other and have
    /// the same target.
    __aicore__ inline void Scatter(const AscendC::LocalTensor<float>& data, const Tile& tile,
                                   const Share& share, bool merged) {
        WaitForOutput();
        // This loop takes most of the scalar unit's time, so it computes as little as possible.
        const AscendC::LocalTensor<int64_t> targets = rows_.Targets();
        const AscendC::GlobalTensor<float> y = y_[tile.col + share.col];
        const AscendC::DataCopyParams params(
            1, static_cast<uint16_t>(share.cols / kElemsPerBlock<float>), 0, 0);
        const auto tokens = static_cast<uint64_t>(tiling_->tokens);
        const int64_t cols = tiling_->cols;
        const uint32_t step = digits_ * share.pitch;
        const uint32_t end = share.row + share.rows;
        uint32_t from = step - share.pitch;
        for (uint32_t row = share.row; row < end; ++row) {
            const int64_t target = targets.GetValue(row);
            const bool inNext = merged && row + 1 < end && targets.GetValue(row + 1) == target;
            // A row whose target is not in y belongs to no row of y.
            if (!inNext && static_cast<uint64_t>(target) < tokens) {
                AscendC::DataCopy(y[target * cols], data[from], params);
            }
            from += step;
        }
    }

    __aicore__ inline void WaitForOutput() {
        if (!outputReady_) {
            AscendC::CrossCoreWaitFlag(kFlagOutput);
            outputReady_ = true;
        }
    }

    /// Waits for all flags, so that none is left set.
    __aicore__ inline void Finish() {
        WaitForOutput();
        if (unpack_ != nullptr) {
            unpack_->Finish();
        }
        columns_.Finish();
        rows_.Finish();
        for (uint32_t i = 0; i < 2; ++i) {
            free_[i].Wait();
            free_[i].Release();
            loaded_[i].Release();
            computed_[i].Release();
        }
    }

    const TilingData* tiling_ = nullptr;
    AscendC::GlobalTensor<int32_t> slots_;
    AscendC::GlobalTensor<float> y_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> shares_;
    ColumnFactors columns_;
    RowFactors rows_;
    Units units_;
    WeightPrefetch prefetch_;
    Event<AscendC::HardEvent::MTE2_V> loaded_[2];
    Event<AscendC::HardEvent::V_MTE3> computed_[2];
    Event<AscendC::HardEvent::MTE3_MTE2> free_[2];
    Unpack* unpack_ = nullptr;  ///< nullptr if x is split into digits
    uint32_t digits_ = 2;       ///< rows of sums per row of x
    uint32_t shareElems_ = 0;   ///< elements of a buffer of shares_
    uint32_t unitsDone_ = 0;
    uint32_t buffer_ = 0;
    uint64_t taken_ = 0;  ///< number of tiles that were read
    bool outputReady_ = false;
    bool firstOfK_ = false;  ///< the unit's range of k begins at 0
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FINALIZE_H
