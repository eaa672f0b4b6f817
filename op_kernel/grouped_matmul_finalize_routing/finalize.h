// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FINALIZE_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FINALIZE_H

#include "../common/copy.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "column_factors.h"
#include "dequantise.h"
#include "event.h"
#include "flags.h"
#include "kernel_operator.h"
#include "part_sums.h"
#include "row_factors.h"
#include "share.h"
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

/// Addresses in the workspace.
struct SumAddresses {
    GM_ADDR slots;
    GM_ADDR notices;
};

/// The work of the vector cores: read the cube core's tiles from slots in GM, dequantise them, and
/// add each row to its row of y. If a tile is divided along k between blocks, the block with the
/// first part adds up the int32 sums of all parts before anything is rounded. Rounded parts could
/// be much larger than their sum, and so could be their errors.
class Finalize {
public:
    __aicore__ inline void Init(const FactorAddresses& factors, GM_ADDR w, const Units& units,
                                const SumAddresses& sums, GM_ADDR y, Unpack* unpack,
                                const TilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        unpack_ = unpack;
        digits_ = unpack == nullptr ? 2 : 1;
        const int64_t block = AscendC::GetBlockIdx() / AscendC::GetTaskRation();
        slots_.SetGlobalBuffer(
            (__gm__ int32_t*)sums.slots + block * tiling->blockSlots * kSlotElems,
            tiling->blockSlots * kSlotElems);
        ring_ = unpack == nullptr ? kSlots : tiling->blockSlots;
        partSums_.Init(sums.slots, sums.notices);
        added_.Init();
        y_.SetGlobalBuffer((__gm__ float*)y, tiling->tokens * tiling->cols);
        columns_.Init(factors.scale, factors.bias, tiling, pipe);
        rows_.Init(factors.pertokenScale, factors.logit, factors.rowIndex, tiling, pipe);
        dequantise_.Init(&columns_, &rows_, digits_);
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
            if (unpack_ != nullptr && unit.kEnd < tiling_->k) {
                // The cube core adds up the parts, Unpack the sums of their columns.
                unpack_->Sums(unitsDone_++);
                LoadWeightsAhead();
                continue;
            }
            if (unpack_ == nullptr && unit.kBegin != 0) {
                LoadWeightsAhead();
                AscendC::CrossCoreWaitFlag(kFlagTile);
                WaitForOutput();  // the notices are zero now
                partSums_.Report();
                AscendC::SetAtomicAdd<float>();
                continue;
            }
            divided_ = unit.kEnd < tiling_->k;
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
    /// Rows for each row of y from which on rows of a tile are added up first.
    static constexpr int64_t kRowsToMerge = 16;

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

    /// Adds the sums of the other blocks' parts of the tile to those of this block, as int32. No
    /// block waits for another one before its first unit has ended, so all parts come.
    __aicore__ inline void AddParts(const AscendC::LocalTensor<int32_t>& data, const Tile& tile,
                                    const Share& share) {
        const uint32_t spare = 1 - buffer_;
        const AscendC::LocalTensor<int32_t> parts = shares_.Get<int32_t>()[spare * shareElems_];
        const uint32_t elems = digits_ * share.rows * share.pitch;
        uint32_t used = 0;
        WaitForOutput();  // the notices are zero now
        free_[spare].Wait();
        uint32_t block = 0;
        while (units_.NextPart(block)) {
            const AscendC::GlobalTensor<int32_t> slot = partSums_.Await(block);
            if (used + elems > shareElems_) {
                added_.Set();
                added_.Wait();
                used = 0;
            }
            CopyShare(parts[used], slot, tile, share);
            loaded_[buffer_].Set();
            loaded_[buffer_].Wait();
            AscendC::Add(data, data, parts[used], static_cast<int32_t>(elems));
            AscendC::PipeBarrier<PIPE_V>();
            used += elems;
        }
        free_[spare].Set();
        AscendC::SetAtomicAdd<float>();
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
            if (divided_) {
                AddParts(data.ReinterpretCast<int32_t>(), tile, share);
            }
            dequantise_.Run(data, share, tile.part + share.col);
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
        if (share.cols != 0) {
            CopyShare(data, slots_[taken_ % ring_ * kSlotElems], tile, share);
        }
        AscendC::CrossCoreSetFlag<2, PIPE_MTE2>(kFlagSlot);
        ++taken_;
    }

    /// Loads a share of the tile's sums from a slot.
    __aicore__ inline void CopyShare(const AscendC::LocalTensor<int32_t>& to,
                                     const AscendC::GlobalTensor<int32_t>& slot, const Tile& tile,
                                     const Share& share) {
        const uint32_t pitch = tile.Pitch();
        AscendC::DataCopyParams params;
        params.blockCount = static_cast<uint16_t>(digits_ * share.rows);
        params.blockLen = static_cast<uint16_t>(share.pitch / kElemsPerBlock<float>);
        params.srcStride = static_cast<uint16_t>((pitch - share.pitch) / kElemsPerBlock<float>);
        params.dstStride = 0;
        AscendC::DataCopy(to, slot[digits_ * share.row * pitch + share.col], params);
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
        added_.Release();
    }

    const TilingData* tiling_ = nullptr;
    AscendC::GlobalTensor<int32_t> slots_;
    PartSums partSums_;
    AscendC::GlobalTensor<float> y_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> shares_;
    ColumnFactors columns_;
    RowFactors rows_;
    Dequantise dequantise_;
    Units units_;
    WeightPrefetch prefetch_;
    Event<AscendC::HardEvent::MTE2_V> loaded_[2];
    Event<AscendC::HardEvent::V_MTE3> computed_[2];
    Event<AscendC::HardEvent::MTE3_MTE2> free_[2];
    Event<AscendC::HardEvent::V_MTE2> added_;
    Unpack* unpack_ = nullptr;  ///< nullptr if x is split into digits
    uint32_t digits_ = 2;       ///< rows of sums per row of x
    uint32_t shareElems_ = 0;   ///< elements of a buffer of shares_
    uint32_t unitsDone_ = 0;
    uint32_t buffer_ = 0;
    uint32_t ring_ = kSlots;  ///< number of slots that are used by turns
    uint64_t taken_ = 0;      ///< number of tiles that were read
    bool outputReady_ = false;
    bool divided_ = false;  ///< other blocks have parts of the unit's sums over k
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FINALIZE_H
