// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNPACKED_PRODUCT_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNPACKED_PRODUCT_H

#include "../common/integers.h"
#include "flags.h"
#include "kernel_operator.h"
#include "l1_ring.h"
#include "operands.h"
#include "tiles.h"
#include "units.h"
#include "unpacked_stream.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// The work of the cube core if the weights are unpacked: it multiplies x and weights of 8 bits,
/// and writes int32 sums to slots in GM. A tile has two parts of columns, each with half of L0C.
/// Every step of k computes both parts. So one part is copied out while the other part's last step,
/// and then the next tile's first step, are computed.
class UnpackedProduct {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR unpacked, const Units& units, GM_ADDR slots,
                                const TilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        x_.SetGlobalBuffer((__gm__ int8_t*)x, static_cast<uint64_t>(tiling->rows) * tiling->k);
        slots_.SetGlobalBuffer(
            (__gm__ int32_t*)slots + AscendC::GetBlockIdx() * tiling->blockSlots * kSlotElems,
            tiling->blockSlots * kSlotElems);
        pipe->InitBuffer(l1_, kWeightBytes + kRowBuffers * kRowBytes);
        pipe->InitBuffer(l0a_, 2 * kHalfBytes);
        pipe->InitBuffer(l0b_, 2 * kHalfBytes);
        pipe->InitBuffer(l0c_, kL0cElems * sizeof(int32_t));
        const AscendC::LocalTensor<int8_t> l1 = l1_.Get<int8_t>();
        weightRing_.Init(l1);
        rowRing_.Init(l1[kWeightBytes]);
        for (int32_t i = 0; i < 2; ++i) {
            AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kRowsFree + i);
            AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kWeightsFree + i);
            AscendC::SetFlag<AscendC::HardEvent::FIX_M>(i);
        }
        chunkK_ = UnpackChunkK(tiling->many.cols);
        stream_.Init(unpacked, units, tiling, &weightRing_);
        units_ = units;
    }

    __aicore__ inline void Process() {
        while (units_.Next(unit_)) {
            cols_ = RoundUp(unit_.cols, kSquare);
            partCols_ = RoundUp(cols_ / 2, kSquare);
            lastOfK_ = unit_.kEnd == tiling_->k;
            if (unit_.kBegin != 0) {  // these sums are added to those in the slots
                AscendC::PipeBarrier<PIPE_FIX>();
                AscendC::SetAtomicAdd<int32_t>();
            } else {
                AscendC::SetAtomicNone();
            }
            slot_ = stored_ % tiling_->blockSlots;
            for (uint32_t row = 0; row < unit_.rows; row += unit_.tileRows) {
                rows_ = Min(unit_.rows - row, unit_.tileRows);
                Multiply(unit_.row + row, row == 0, row + rows_ == unit_.rows);
            }
            ++current_;
        }
        AscendC::SetAtomicNone();
        Finish();
    }

private:
    static constexpr uint32_t kSquare = 32;  ///< rows and columns that MTE1 transposes together
    static constexpr uint32_t kSquareBytes = kSquare * kSquare;
    static constexpr uint32_t kStep = 256;  ///< rows of weights in a step
    static constexpr uint32_t kSlotElems = kSlotBytes / sizeof(int32_t);
    static constexpr uint32_t kL0cHalf = kL0cElems / 2;
    static constexpr uint32_t kHalfBytes = 32 * 1024;
    static constexpr uint32_t kWeightBytes = kUnpackBytes;
    static constexpr uint32_t kRowBuffers = 3;
    static constexpr uint32_t kRowBytes = kUnpackTileRows * kStep;
    static constexpr int32_t kRowsFree = 3;  ///< event ids 0 to 2 belong to the library
    static constexpr int32_t kWeightsFree = 5;

    __aicore__ inline void Multiply(int64_t row, bool firstTile, bool lastTile) {
        const uint32_t all = unit_.kEnd - unit_.kBegin;
        for (uint32_t k = 0; k < all; k += chunkK_) {
            const uint32_t chunk = Min(chunkK_, all - k);
            stream_.Fill(current_, k, lastTile);
            const AscendC::LocalTensor<int8_t> weights =
                weightRing_.Read(lastTile ? 0 : k / chunkK_, firstTile);
            for (uint32_t first = 0; first < chunk; first += 2 * kStep) {
                const uint32_t end = Min(first + 2 * kStep, chunk);
                MultiplySteps(weights, chunk, {row, k, first, end}, lastTile && end == chunk,
                              k + end == all);
            }
        }
    }

    /// Rows [k + begin, k + end) of weights, from row `begin` of the chunk on, that start at row
    /// `k` of the unit. L0A has room for as many columns of rows from `row` on.
    struct Steps {
        int64_t row;
        uint32_t k;
        uint32_t begin;
        uint32_t end;
    };

    /// Multiplies both parts of columns. Frees the chunk with `free`, and stores the sums with
    /// `store`.
    __aicore__ inline void MultiplySteps(const AscendC::LocalTensor<int8_t>& weights,
                                         uint32_t chunk, const Steps& steps, bool free,
                                         bool store) {
        for (uint32_t col = 0; col < cols_; col += partCols_) {
            const bool lastPart = col + partCols_ >= cols_;
            for (uint32_t at = steps.begin; at < steps.end; at += kStep) {
                const uint32_t step = Min(kStep, steps.end - at);
                const int32_t half = at == steps.begin ? 0 : 1;
                if (col == 0) {
                    LoadRows(steps.row, steps.k + at, step, half);
                }
                LoadWeights(weights, chunk, at, step, col);
                if (lastPart && free && at + step == steps.end) {
                    weightRing_.Free();
                }
                Step(col, step, steps.k + at == 0, half, lastPart);
            }
            if (store) {
                Store(col, lastPart);
            }
        }
    }

    /// Loads a step of the tile's rows of x into L0A.
    __aicore__ inline void LoadRows(int64_t row, uint32_t k, uint32_t step, int32_t half) {
        const AscendC::LocalTensor<int8_t> buffer = rowRing_.BeginFill();
        CopyRows(buffer, row, unit_.kBegin + k, step);
        rowRing_.EndFill();
        const AscendC::LocalTensor<int8_t> from = rowRing_.Read(0, true);
        AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(kRowsFree + half);
        AscendC::LoadData2DParams params;
        params.repeatTimes =
            static_cast<uint8_t>(CeilDiv(rows_, kRowsPerFractal) * (step / kSquare));
        params.srcStride = 1;
        AscendC::LoadData(l0a_.Get<int8_t>()[half * kHalfBytes], from, params);
        rowRing_.Free();
    }

    /// Copies columns [k, k + step) of the tile's rows from `row` on to a block in L1.
    __aicore__ inline void CopyRows(const AscendC::LocalTensor<int8_t>& block, int64_t row,
                                    uint32_t k, uint32_t step) {
        const uint32_t pitch = tiling_->k;
        const AscendC::GlobalTensor<int8_t> x = x_[row * pitch + k];
        if (pitch % kGranuleBytes == 0) {
            Operands::CopyDigits(block, x, rows_, 2 * step, pitch);
            return;
        }
        // Every other row starts in the middle of a granule. Its first half granule is copied
        // alone, so that all copies of more than one granule start at a granule.
        for (uint32_t first = 0; first < Min(rows_, 2U); ++first) {
            const auto start = static_cast<uint32_t>(((row + first) * pitch + k) % kGranuleBytes);
            const uint32_t head = start == 0 ? 0 : Min(kGranuleBytes - start, step);
            CopyAlternateRows(block, x, first, {0, head, step});
            CopyAlternateRows(block, x, first, {head, step, step});
        }
    }

    struct Columns {
        uint32_t begin;
        uint32_t end;
        uint32_t all;  ///< number of columns in the block
    };

    /// Copies some columns of rows first, first + 2, ... of the tile. Sizes count words of 4 B.
    __aicore__ inline void CopyAlternateRows(const AscendC::LocalTensor<int8_t>& block,
                                             const AscendC::GlobalTensor<int8_t>& x, uint32_t first,
                                             const Columns& columns) {
        if (columns.begin == columns.end) {
            return;
        }
        constexpr uint32_t kMaxStride = 65535;
        constexpr uint32_t kWord = sizeof(int32_t);
        const uint32_t pitch = tiling_->k;
        const uint32_t stride = kRowsPerFractal * pitch / kWord;
        AscendC::Nd2NzParams params;
        params.dValue = static_cast<uint16_t>((columns.end - columns.begin) / kWord);
        params.srcDValue = static_cast<uint16_t>(2 * pitch / kWord);
        params.srcNdMatrixStride = static_cast<uint16_t>(stride);
        params.dstNzC0Stride = kRowsPerFractal;
        params.dstNzNStride = 2;
        params.dstNzMatrixStride = static_cast<uint16_t>(kRowsPerFractal * columns.all / kWord);
        for (uint32_t row = first; row < rows_; row += params.ndNum * kRowsPerFractal) {
            const uint32_t whole = (rows_ - row + first) / kRowsPerFractal;
            params.ndNum = static_cast<uint16_t>(whole > 1 && stride <= kMaxStride ? whole : 1);
            const uint32_t rows = Min(rows_ - row, kRowsPerFractal - first);
            params.nValue = static_cast<uint16_t>(CeilDiv(rows, 2U));
            AscendC::GlobalTensor<int32_t> from;
            from.SetGlobalBuffer(
                (__gm__ int32_t*)x[static_cast<int64_t>(row) * pitch + columns.begin].GetPhyAddr());
            const uint32_t to =
                (row - first) * columns.all + columns.begin * kRowsPerFractal + first * kBlockBytes;
            AscendC::DataCopy(block[to].ReinterpretCast<int32_t>(), from, params);
        }
    }

    /// Loads a step of the weights of a part into L0B.
    __aicore__ inline void LoadWeights(const AscendC::LocalTensor<int8_t>& weights, uint32_t chunk,
                                       uint32_t first, uint32_t step, uint32_t col) {
        weightHalf_ = 1 - weightHalf_;
        AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(kWeightsFree + weightHalf_);
        const uint32_t across = Min(partCols_, cols_ - col) / kSquare;
        const uint32_t stripe = chunk / kSquare;
        AscendC::LoadData2dTransposeParams params;
        params.repeatTimes = static_cast<uint8_t>(step / kSquare);
        params.srcStride = 1;
        params.dstGap = static_cast<uint16_t>(2 * across - 1);
        const AscendC::LocalTensor<int8_t> to = l0b_.Get<int8_t>()[weightHalf_ * kHalfBytes];
        for (uint32_t i = 0; i < across; ++i) {
            params.startIndex =
                static_cast<uint16_t>((col / kSquare + i) * stripe + first / kSquare);
            AscendC::LoadDataWithTranspose(to[i * kSquareBytes], weights, params);
        }
    }

    __aicore__ inline void Step(uint32_t col, uint32_t step, bool first, int32_t half,
                                bool lastPart) {
        const int32_t part = col == 0 ? 0 : 1;
        AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(weightHalf_);
        AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(weightHalf_);
        if (first) {
            AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(part);
        }
        AscendC::MmadParams params;
        params.m = static_cast<uint16_t>(RoundUp(rows_, kRowsPerFractal));
        params.n = static_cast<uint16_t>(Min(partCols_, cols_ - col));
        params.k = static_cast<uint16_t>(step);
        params.cmatrixInitVal = first;
        AscendC::Mmad(l0c_.Get<int32_t>()[part * kL0cHalf], l0a_.Get<int8_t>()[half * kHalfBytes],
                      l0b_.Get<int8_t>()[weightHalf_ * kHalfBytes], params);
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kWeightsFree + weightHalf_);
        if (lastPart) {
            AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kRowsFree + half);
        }
        constexpr uint32_t kFractalsInOrder = 10;
        if (params.m / kRowsPerFractal * (params.n / kRowsPerFractal) < kFractalsInOrder) {
            AscendC::PipeBarrier<PIPE_M>();
        }
    }

    /// Copies the sums of a part to the tile's slot.
    __aicore__ inline void Store(uint32_t col, bool lastPart) {
        const int32_t part = col == 0 ? 0 : 1;
        AscendC::SetFlag<AscendC::HardEvent::M_FIX>(part);
        AscendC::WaitFlag<AscendC::HardEvent::M_FIX>(part);
        // The slots of parts before the last one are free: at most kSlots tiles have not been read.
        if (col == 0 && lastOfK_ && stored_ >= kSlots) {
            AscendC::CrossCoreWaitFlag(kFlagSlot);
        }
        const uint32_t pitch = RoundUp(unit_.cols, kRowsPerFractal);
        AscendC::FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(Min(partCols_, pitch - col));
        params.mSize = static_cast<uint16_t>(rows_);
        params.srcStride = static_cast<uint16_t>(RoundUp(rows_, kRowsPerFractal));
        params.dstStride = pitch;
        AscendC::Fixpipe<int32_t, int32_t, AscendC::CFG_ROW_MAJOR>(
            slots_[slot_ * kSlotElems + col], l0c_.Get<int32_t>()[part * kL0cHalf], params);
        AscendC::SetFlag<AscendC::HardEvent::FIX_M>(part);
        if (lastPart) {
            slot_ = slot_ + 1 == tiling_->blockSlots ? 0 : slot_ + 1;
            if (lastOfK_) {
                AscendC::CrossCoreSetFlag<2, PIPE_FIX>(kFlagTile);
                ++stored_;
            }
        }
    }

    /// Waits for all flags, so that none is left set.
    __aicore__ inline void Finish() {
        weightRing_.Finish();
        rowRing_.Finish();
        for (int32_t i = 0; i < 2; ++i) {
            AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(kRowsFree + i);
            AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(kWeightsFree + i);
            AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(i);
        }
        for (uint32_t i = 0; i < Min(stored_, kSlots); ++i) {
            AscendC::CrossCoreWaitFlag(kFlagSlot);
        }
    }

    const TilingData* tiling_ = nullptr;
    AscendC::GlobalTensor<int8_t> x_;
    AscendC::GlobalTensor<int32_t> slots_;
    AscendC::TBuf<AscendC::TPosition::A1> l1_;
    AscendC::TBuf<AscendC::TPosition::A2> l0a_;
    AscendC::TBuf<AscendC::TPosition::B2> l0b_;
    AscendC::TBuf<AscendC::TPosition::CO1> l0c_;
    UnpackedRing weightRing_;
    L1Ring<kRowBuffers, 4, kRowBytes> rowRing_;
    UnpackedStream stream_;
    Units units_;
    Unit unit_;
    uint32_t chunkK_ = 0;    ///< rows of weights in a buffer of L1
    uint32_t rows_ = 0;      ///< rows of the tile
    uint32_t cols_ = 0;      ///< columns of the tile, rounded up to squares
    uint32_t partCols_ = 0;  ///< columns of the first part
    int32_t weightHalf_ = 0;
    uint32_t current_ = 0;  ///< number of the unit
    bool lastOfK_ = false;  ///< the unit has the last part of the sums over k
    uint32_t slot_ = 0;     ///< slot of the next tile
    uint64_t stored_ = 0;   ///< number of tiles that were stored
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNPACKED_PRODUCT_H
