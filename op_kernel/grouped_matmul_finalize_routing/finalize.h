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
    __aicore__ inline void Init(const FactorAddresses& factors, GM_ADDR groupList, GM_ADDR slots,
                                GM_ADDR y, const TilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        const int64_t block = AscendC::GetBlockIdx() / AscendC::GetTaskRation();
        slots_.SetGlobalBuffer((__gm__ int32_t*)slots + block * kSlots * kSlotElems,
                               kSlots * kSlotElems);
        y_.SetGlobalBuffer((__gm__ float*)y, tiling->tokens * tiling->cols);
        columns_.Init(factors.scale, factors.bias, tiling, pipe);
        rows_.Init(factors.pertokenScale, factors.logit, factors.rowIndex, tiling, pipe);
        pipe->InitBuffer(shares_, 2 * kShareElems * sizeof(float));
        for (uint32_t i = 0; i < 2; ++i) {
            loaded_[i].Init();
            computed_[i].Init();
            free_[i].Init();
            free_[i].Set();
        }
        units_.Init(groupList, tiling);
    }

    __aicore__ inline void Process() {
        AscendC::SetAtomicAdd<float>();
        Unit unit;
        Cut cut;
        while (units_.Next(unit)) {
            cut.Set(unit, tiling_->k);
            Tiles tiles;
            tiles.Start(unit, cut);
            Tile tile;
            while (tiles.Next(tile)) {
                LoadFactors(unit, tile);
                Run(tile);
                FreeFactors(tile);
            }
        }
        AscendC::SetAtomicNone();
        Finish();
    }

private:
    static constexpr uint32_t kSlotElems = kSlotBytes / sizeof(int32_t);
    static constexpr uint32_t kShareElems = kSlotElems / 2;
    static constexpr uint32_t kRepeatElems = 64;
    /// If a tile has at least so many rows, the two vector cores of a block divide its rows,
    /// otherwise its columns. So accesses to GM are long, and both cores have work for any number
    /// of rows.
    static constexpr uint32_t kRowsToShare = 8;

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
        if (tile.rows >= kRowsToShare) {
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

    __aicore__ inline void LoadFactors(const Unit& unit, const Tile& tile) {
        if (tile.firstPass && tile.firstPart) {
            columns_.Load(unit.expert, tile.panelCol, tile.panelCols);
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
        const AscendC::LocalTensor<float> data = shares_.Get<float>()[buffer_ * kShareElems];
        free_[buffer_].Wait();
        CopyIn(data.ReinterpretCast<int32_t>(), tile, share);
        if (share.cols != 0) {
            loaded_[buffer_].Set();
            loaded_[buffer_].Wait();
            Compute(data, share, static_cast<uint32_t>(tile.col - tile.panelCol) + share.col);
            computed_[buffer_].Set();
            computed_[buffer_].Wait();
        }
        if (tile.firstPart) {
            rows_.WaitForTargets();
        }
        if (share.cols != 0) {
            Scatter(data, tile, share);
        }
        free_[buffer_].Set();
    }

    __aicore__ inline void CopyIn(const AscendC::LocalTensor<int32_t>& data, const Tile& tile,
                                  const Share& share) {
        AscendC::CrossCoreWaitFlag(kFlagTile);
        const uint32_t pitch = tile.Pitch();
        if (share.cols != 0) {
            AscendC::DataCopyParams params;
            params.blockCount = static_cast<uint16_t>(2 * share.rows);
            params.blockLen = static_cast<uint16_t>(share.pitch / kElemsPerBlock<float>);
            params.srcStride = static_cast<uint16_t>((pitch - share.pitch) / kElemsPerBlock<float>);
            params.dstStride = 0;
            AscendC::DataCopy(
                data, slots_[taken_ % kSlots * kSlotElems + 2 * share.row * pitch + share.col],
                params);
        }
        AscendC::CrossCoreSetFlag<2, PIPE_MTE2>(kFlagSlot);
        ++taken_;
    }

    /// Computes the results in place, in the rows of the low digits.
    __aicore__ inline void Compute(const AscendC::LocalTensor<float>& data, const Share& share,
                                   uint32_t col) {
        const AscendC::LocalTensor<float> low = data[share.pitch];
        const AscendC::LocalTensor<float> scale = columns_.Scale()[col];
        const AscendC::LocalTensor<float> bias = columns_.Bias()[col];
        const AscendC::LocalTensor<float> factors = rows_.Factors(share.row);
        const auto rows = static_cast<uint8_t>(share.rows);
        const auto step = static_cast<uint8_t>(2 * share.pitch / kElemsPerBlock<float>);
        const AscendC::BinaryRepeatParams sameRow(1, 1, 1, step, step, 0);
        const AscendC::BinaryRepeatParams sameFactor(1, 1, 0, step, step, 1);
        AscendC::Cast(data, data.ReinterpretCast<int32_t>(), AscendC::RoundMode::CAST_RINT,
                      2 * share.rows * share.pitch);
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::UnaryRepeatParams bothDigits(1, 1, step, step);
        for (uint32_t i = 0; i < share.cols; i += kRepeatElems) {
            AscendC::Axpy(low[i], data[i], 16.0f, Columns(share, i), rows, bothDigits);
        }
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < share.cols; i += kRepeatElems) {
            AscendC::Mul(low[i], low[i], scale[i], Columns(share, i), rows, sameRow);
        }
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < share.cols; i += kRepeatElems) {
            AscendC::Add(low[i], low[i], bias[i], Columns(share, i), rows, sameRow);
        }
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < share.cols; i += kRepeatElems) {
            AscendC::Mul(low[i], low[i], factors, Columns(share, i), rows, sameFactor);
        }
    }

    /// Returns the mask of an instruction on up to 64 columns that start at column `first`.
    __aicore__ inline static uint64_t Columns(const Share& share, uint32_t first) {
        return Min(share.cols - first, kRepeatElems);
    }

    __aicore__ inline void Scatter(const AscendC::LocalTensor<float>& data, const Tile& tile,
                                   const Share& share) {
        WaitForOutput();
        for (uint32_t row = 0; row < share.rows; ++row) {
            const int64_t target = rows_.Target(share.row + row);
            if (target < 0 || target >= tiling_->tokens) {
                continue;  // the row belongs to no row of y
            }
            AscendC::DataCopy(y_[target * tiling_->cols + tile.col + share.col],
                              data[(2 * row + 1) * share.pitch], share.cols);
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
    Event<AscendC::HardEvent::MTE2_V> loaded_[2];
    Event<AscendC::HardEvent::V_MTE3> computed_[2];
    Event<AscendC::HardEvent::MTE3_MTE2> free_[2];
    uint32_t buffer_ = 0;
    uint64_t taken_ = 0;  ///< number of tiles that were read
    bool outputReady_ = false;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FINALIZE_H
