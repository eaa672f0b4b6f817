// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_PRODUCT_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_PRODUCT_H

#include "../common/integers.h"
#include "flags.h"
#include "kernel_operator.h"
#include "l1_ring.h"
#include "operands.h"
#include "tiles.h"
#include "units.h"
#include "weight_stream.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// The work of the cube core: it multiplies digits and weights, tile by tile, and writes int32 sums
/// to slots in GM. The sums of all parts of k but the first go to a slot of their own, from which
/// another block reads them. Rows 2 r and 2 r + 1 of the left operand are the high and low digits
/// of row r of x. So one row of x needs two rows; two operands, one per digit, would need 16 rows
/// each. Also, the left operand never has a single row, which the cube unit would read as a vector.
class Product {
public:
    __aicore__ inline void Init(GM_ADDR digits, GM_ADDR w, const Units& units, GM_ADDR slots,
                                const TilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        digitPitch_ = DigitPitch(tiling->k);
        digitsGm_.SetGlobalBuffer((__gm__ int8_t*)digits,
                                  static_cast<uint64_t>(tiling->rows) * 2 * digitPitch_);
        slots_.SetGlobalBuffer(
            (__gm__ int32_t*)slots + AscendC::GetBlockIdx() * kBlockSlots * kSlotElems,
            kBlockSlots * kSlotElems);
        pipe->InitBuffer(l1_, kL1Bytes);
        pipe->InitBuffer(l0c_, kL0cElems * sizeof(int32_t));
        AscendC::LocalTensor<int8_t> l1 = l1_.Get<int8_t>();
        weightRing_.Init(l1);
        digitRing_.Init(l1[kL1BufferBytes * kWeightBuffers]);
        operands_.Init(pipe);
        AscendC::SetFlag<AscendC::HardEvent::FIX_M>(0);
        AscendC::SetFlag<AscendC::HardEvent::FIX_M>(1);
        stream_.Init(w, units, tiling, &weightRing_);
        units_ = units;
    }

    __aicore__ inline void Process() {
        // MTE2 is busy until there are digits. The first digits must not wait for more weights.
        stream_.Fill(kFirstBuffers);
        AscendC::CrossCoreWaitFlag(kFlagDigits);
        Unit next;
        bool more = units_.Next(next);
        while (more) {
            const Unit unit = next;
            more = units_.Next(next);
            Tiles tiles;
            tiles.Start(unit, *tiling_);
            keptDigits_ = keepDigits_;
            keepDigits_ = more && HaveSameDigits(unit, next);
            kBegin_ = unit.kBegin;
            unitK_ = unit.kEnd - unit.kBegin;
            resident_ = tiles.Resident();
            weightChunkK_ = tiles.ChunkK();
            stepK_ = Tiles::StepK(tiles.PartCols());
            Tile tile;
            while (tiles.Next(tile)) {
                Multiply(tile);
            }
        }
        Finish();
    }

private:
    static constexpr uint32_t kSlotElems = kSlotBytes / sizeof(int32_t);
    static constexpr uint32_t kL1Bytes = kL1BufferBytes * (kWeightBuffers + kDigitBuffers);
    static constexpr uint32_t kL0cHalf = kL0cElems / 2;
    static constexpr uint32_t kMaxChunkK = 2048;  ///< so 16 rows of digits fit dstNzMatrixStride

    /// Returns true if the two units consist of a tile each, and their tiles have the same digits
    /// in the same chunks.
    __aicore__ inline bool HaveSameDigits(const Unit& unit, const Unit& next) const {
        Tiles tiles;
        tiles.Start(unit, *tiling_);
        Tiles nextTiles;
        nextTiles.Start(next, *tiling_);
        return unit.rows <= unit.tileRows && unit.row == next.row && unit.rows == next.rows &&
               unit.kBegin == next.kBegin && unit.kEnd == next.kEnd &&
               tiles.ChunkK() == nextTiles.ChunkK();
    }

    __aicore__ inline void Multiply(const Tile& tile) {
        digitRows_ = RoundUp(2 * tile.rows, kRowsPerFractal);
        weightCols_ = RoundUp(tile.cols, kColsPerSquare);
        chunkK_ = Min(2 * kL1BufferBytes / digitRows_, kMaxChunkK) / weightChunkK_ * weightChunkK_;
        // With many rows the cube unit limits the speed. A block then has the digits that MTE1
        // loads at a time. With few rows GM limits the speed, and larger blocks make reads long.
        blockK_ = resident_ ? stepK_ : chunkK_;
        // The digits stay in L1 only if one buffer is left for the next tile's digits.
        keep_ = CeilDiv(unitK_, chunkK_) < kDigitBuffers;
        const AscendC::LocalTensor<int32_t> sums = BeginSums();
        for (uint32_t k = 0; k < unitK_; k += stepK_) {
            Step(tile, sums, k, Min(stepK_, unitK_ - k));
        }
        Store(tile, sums);
    }

    /// Returns the part of L0C for the sums. Tiles that fit into half of L0C use the two halves by
    /// turns; a larger tile uses all of L0C.
    __aicore__ inline AscendC::LocalTensor<int32_t> BeginSums() {
        whole_ = digitRows_ * weightCols_ > kL0cHalf;
        half_ = whole_ ? 0 : 1 - half_;
        AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(half_);
        if (whole_) {
            AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(1);
        }
        return l0c_.Get<int32_t>()[half_ * kL0cHalf];
    }

    /// Multiplies `rows` rows of weights, from row `k` of the unit's range of k on.
    __aicore__ inline void Step(const Tile& tile, const AscendC::LocalTensor<int32_t>& sums,
                                uint32_t k, uint32_t rows) {
        const uint32_t inWeights = k % weightChunkK_;
        const uint32_t inDigits = k % chunkK_;
        if (inDigits == 0) {
            BeginDigits(tile, k);
        }
        if (inWeights == 0) {
            BeginWeights(tile, k);
        }
        operands_.Begin();
        const uint32_t inBlock = inDigits % blockK_;
        const uint32_t block = inDigits - inBlock;
        operands_.LoadDigits(digits_[block * digitRows_ / 2], Min(blockK_, unitK_ - (k - inBlock)),
                             inBlock, rows, digitRows_);
        operands_.LoadWeights(weights_, weightsK_, inWeights, rows, tile.part, weightCols_);
        const uint32_t end = k + rows;
        if (LastUseOfWeights(tile) && (end % weightChunkK_ == 0 || end == unitK_)) {
            weightRing_.Free();
        }
        if (LastUseOfDigits(tile) && (end % chunkK_ == 0 || end == unitK_)) {
            digitRing_.Free();
        }
        operands_.Multiply(sums, 2 * tile.rows, weightCols_, rows, k == 0);
    }

    __aicore__ inline bool LastUseOfWeights(const Tile& tile) const {
        return !resident_ || (tile.lastPass && tile.lastPart);
    }

    __aicore__ inline bool LastUseOfDigits(const Tile& tile) const {
        return !keep_ || (tile.lastPart && !keepDigits_);
    }

    __aicore__ inline void BeginWeights(const Tile& tile, uint32_t k) {
        stream_.Fill();
        const bool fresh = !resident_ || (tile.firstPass && tile.firstPart);
        // At the last use of a chunk, all chunks before this one are already free.
        weights_ = weightRing_.Read(LastUseOfWeights(tile) ? 0 : k / weightChunkK_, fresh);
        weightsK_ = Min(weightChunkK_, unitK_ - k);
    }

    __aicore__ inline void BeginDigits(const Tile& tile, uint32_t k) {
        const bool fresh = !keep_ || (tile.firstPart && !keptDigits_);
        if (fresh) {
            const AscendC::LocalTensor<int8_t> to = digitRing_.BeginFill();
            const uint32_t end = Min(k + chunkK_, unitK_);
            for (uint32_t at = k; at < end; at += blockK_) {
                Operands::CopyDigits(to[(at - k) * digitRows_ / 2],
                                     digitsGm_[tile.row * 2 * digitPitch_ + (kBegin_ + at) / 2],
                                     2 * tile.rows, Min(blockK_, end - at), digitPitch_);
            }
            digitRing_.EndFill();
        }
        digits_ = digitRing_.Read(LastUseOfDigits(tile) ? 0 : k / chunkK_, fresh);
    }

    // Copies the sums of both digits to a slot as int32, because conversion to half would round
    // them. int32 sums have twice the bytes. At 68 B per cycle, copying them still takes less time
    // than the multiplication if k is as large as in real models.
    __aicore__ inline void Store(const Tile& tile, const AscendC::LocalTensor<int32_t>& sums) {
        AscendC::SetFlag<AscendC::HardEvent::M_FIX>(half_);
        AscendC::WaitFlag<AscendC::HardEvent::M_FIX>(half_);
        const bool later = kBegin_ != 0;
        if (!later && stored_ >= kSlots) {
            AscendC::CrossCoreWaitFlag(kFlagSlot);
        }
        AscendC::FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(tile.Pitch());
        params.mSize = static_cast<uint16_t>(2 * tile.rows);
        params.srcStride = static_cast<uint16_t>(digitRows_);
        params.dstStride = tile.Pitch();
        AscendC::Fixpipe<int32_t, int32_t, AscendC::CFG_ROW_MAJOR>(
            slots_[(later ? kPartSlot : stored_ % kSlots) * kSlotElems], sums, params);
        AscendC::CrossCoreSetFlag<2, PIPE_FIX>(kFlagTile);
        AscendC::SetFlag<AscendC::HardEvent::FIX_M>(half_);
        if (whole_) {
            AscendC::SetFlag<AscendC::HardEvent::FIX_M>(1);
        }
        stored_ += later ? 0 : 1;
    }

    /// Waits for all flags, so that none is left set.
    __aicore__ inline void Finish() {
        weightRing_.Finish();
        digitRing_.Finish();
        operands_.Finish();
        AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(0);
        AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(1);
        for (uint32_t i = 0; i < Min(stored_, kSlots); ++i) {
            AscendC::CrossCoreWaitFlag(kFlagSlot);
        }
    }

    const TilingData* tiling_ = nullptr;
    AscendC::GlobalTensor<int8_t> digitsGm_;
    AscendC::GlobalTensor<int32_t> slots_;
    AscendC::TBuf<AscendC::TPosition::A1> l1_;
    AscendC::TBuf<AscendC::TPosition::CO1> l0c_;
    WeightRing weightRing_;
    DigitRing digitRing_;
    WeightStream stream_;
    Operands operands_;
    Units units_;
    uint32_t digitPitch_ = 0;  ///< bytes from row to row of digits
    // Sizes of the current unit.
    uint32_t kBegin_ = 0;
    uint32_t unitK_ = 0;         ///< number of rows of weights
    uint32_t weightChunkK_ = 0;  ///< rows of weights in a buffer of L1
    bool resident_ = false;      ///< the weights stay in L1 for all passes
    // Sizes of the current tile.
    uint32_t digitRows_ = 0;   ///< rows of digits, rounded up to fractals
    uint32_t weightCols_ = 0;  ///< columns of weights, rounded up to fractals
    uint32_t stepK_ = 0;
    uint32_t chunkK_ = 0;  ///< columns of digits in a buffer of L1
    uint32_t blockK_ = 0;  ///< columns of digits in a block of an L1 buffer
    uint32_t weightsK_ = 0;
    bool keep_ = false;        ///< all parts of a panel use the same digits in L1
    bool keptDigits_ = false;  ///< the unit before this one has left its digits in L1
    bool keepDigits_ = false;  ///< the unit leaves its digits in L1 for the next one
    bool whole_ = false;
    uint32_t half_ = 0;
    AscendC::LocalTensor<int8_t> weights_;
    AscendC::LocalTensor<int8_t> digits_;
    uint64_t stored_ = 0;  ///< number of tiles that were stored in the slots used by turns
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_PRODUCT_H
