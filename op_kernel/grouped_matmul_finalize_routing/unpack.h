// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNPACK_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNPACK_H

#include "../common/copy.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "event.h"
#include "flags.h"
#include "kernel_operator.h"
#include "units.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// Unpacks the weights of a block's units to 8 bits. Each of the two vector cores unpacks half of
/// the rows of a chunk, and reports when the chunk is in GM. It also adds up the columns of its
/// half: x has no digits here, so the result would be too large by 8 times these sums (x = 16 * hi
/// + lo + 8).
class Unpack {
public:
    __aicore__ inline void Init(GM_ADDR w, GM_ADDR unpacked, const Units& units,
                                const TilingData* tiling) {
        tiling_ = tiling;
        units_ = units;
        rowBytes_ = static_cast<uint32_t>(tiling->cols / 2);
        pitch_ = tiling->many.cols;
        chunkK_ = UnpackChunkK(pitch_);
        w_.SetGlobalBuffer((__gm__ int8_t*)w,
                           static_cast<uint64_t>(tiling->experts) * tiling->k * rowBytes_);
        const int64_t block = AscendC::GetBlockIdx() / AscendC::GetTaskRation();
        unpacked += block * kUnpackSlots * kUnpackSlotBytes;
        unpacked_.SetGlobalBuffer((__gm__ int8_t*)unpacked, kUnpackSlots * kUnpackSlotBytes);
        sumsGm_.SetGlobalBuffer((__gm__ int32_t*)unpacked, kUnpackSlots * kSlotWords);
    }

    __aicore__ inline void InitBuffers(AscendC::TPipe* pipe) {
        pipe->InitBuffer(in_, 2, kElems / 2);
        pipe->InitBuffer(out_, 2, kElems);
        pipe->InitBuffer(halfs_, kElems * sizeof(half));
        pipe->InitBuffer(sums_, kColumnSumsBytes);
        pipe->InitBuffer(part_, kColumnSumsBytes);
        pipe->InitBuffer(stored_, 1, kColumnSumsBytes);
    }

    /// Unpacks this core's half of the weights of the next unit, if there is one.
    __aicore__ inline void Next() {
        Unit unit;
        if (!units_.Next(unit)) {
            return;
        }
        if (count_ >= kUnpackSlots) {
            AscendC::CrossCoreWaitFlag(kFlagUnpacked);
        }
        AscendC::Duplicate(sums_.Get<float>(), 0.0f, static_cast<int32_t>(kUnpackCols));
        for (uint32_t k = unit.kBegin; k < unit.kEnd; k += chunkK_) {
            UnpackChunk(unit, k, Min(unit.kEnd - k, chunkK_) / 2);
            AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(kFlagWeights);
        }
        StoreSums(unit);
        AscendC::CrossCoreSetFlag<1, PIPE_MTE3>(kFlagSums);
        ++count_;
    }

    /// Makes MTE2 wait until the unpacked weights and sums are in GM, so that other data may take
    /// their place in UB. A reset of the pipe makes only V wait.
    __aicore__ inline void LeaveBuffers() {
        Event<AscendC::HardEvent::MTE3_MTE2> stored;
        stored.Init();
        stored.Set();
        stored.Wait();
        stored.Release();
    }

    /// Returns the sums of unit `unit` from both vector cores. Call this once per unit, in order.
    __aicore__ inline AscendC::GlobalTensor<int32_t> Sums(uint32_t unit) {
        AscendC::CrossCoreWaitFlag(kFlagSums);
        return sumsGm_[unit % kUnpackSlots * kSlotWords + kUnpackBytes / sizeof(int32_t)];
    }

    /// Waits for all flags, so that none is left set.
    __aicore__ inline void Finish() {
        for (uint32_t i = 0; i < Min(count_, kUnpackSlots); ++i) {
            AscendC::CrossCoreWaitFlag(kFlagUnpacked);
        }
    }

private:
    static constexpr uint32_t kRows = 64;  ///< their sums are exact in half
    static constexpr uint32_t kSlotWords = kUnpackSlotBytes / sizeof(int32_t);
    static constexpr uint32_t kElems = kRows * kUnpackCols;

    __aicore__ inline AscendC::GlobalTensor<int8_t> Slot() {
        return unpacked_[count_ % kUnpackSlots * kUnpackSlotBytes];
    }

    /// Unpacks this core's `half` rows of the chunk that begins at row `k`.
    __aicore__ inline void UnpackChunk(const Unit& unit, uint32_t k, uint32_t half) {
        k += static_cast<uint32_t>(AscendC::GetSubBlockIdx()) * half;
        const int64_t from =
            (static_cast<int64_t>(unit.expert) * tiling_->k + k) * rowBytes_ + unit.col / 2;
        const AscendC::GlobalTensor<int8_t> to = Slot()[(k - unit.kBegin) * pitch_];
        for (uint32_t row = 0; row < half; row += kRows) {
            const uint32_t rows = Min(half - row, kRows);
            CopyIn(w_[from + static_cast<int64_t>(row) * rowBytes_], rows, unit.cols);
            Compute(rows, RoundUp(unit.cols, kColsPerSquare));
            CopyOut(to[row * pitch_], rows, unit.cols);
        }
    }

    __aicore__ inline void CopyIn(const AscendC::GlobalTensor<int8_t>& from, uint32_t rows,
                                  uint32_t cols) {
        const AscendC::LocalTensor<int8_t> in = in_.AllocTensor<int8_t>();
        LoadRows(in, from, Rows(rows, cols / 2, rowBytes_));
        in_.EnQue(in);
    }

    __aicore__ inline void Compute(uint32_t rows, uint32_t pitch) {
        AscendC::LocalTensor<int8_t> in = in_.DeQue<int8_t>();
        const AscendC::LocalTensor<int8_t> out = out_.AllocTensor<int8_t>();
        const AscendC::LocalTensor<half> halfs = halfs_.Get<half>();
        const uint32_t elems = rows * pitch;
        AscendC::Cast(halfs, in.ReinterpretCast<AscendC::int4b_t>(), AscendC::RoundMode::CAST_NONE,
                      elems);
        AscendC::PipeBarrier<PIPE_V>();
        in_.FreeTensor(in);
        AscendC::Cast(out, halfs, AscendC::RoundMode::CAST_RINT, elems);
        AscendC::PipeBarrier<PIPE_V>();
        out_.EnQue(out);
        // rows is 32 or 64, because k is a multiple of 64.
        for (uint32_t half = rows / 2; half > 0; half /= 2) {
            AscendC::Add(halfs, halfs, halfs[half * pitch], static_cast<int32_t>(half * pitch));
            AscendC::PipeBarrier<PIPE_V>();
        }
        const AscendC::LocalTensor<float> part = part_.Get<float>();
        AscendC::Cast(part, halfs, AscendC::RoundMode::CAST_NONE, pitch);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(sums_.Get<float>(), sums_.Get<float>(), part, static_cast<int32_t>(pitch));
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void CopyOut(const AscendC::GlobalTensor<int8_t>& to, uint32_t rows,
                                   uint32_t cols) {
        AscendC::LocalTensor<int8_t> out = out_.DeQue<int8_t>();
        const uint32_t gap =
            (RoundUp(cols, kColsPerSquare) - RoundUp(cols, kBlockBytes)) / kBlockBytes;
        StoreRows(to, out, Rows(rows, cols, pitch_, gap));
        out_.FreeTensor(out);
    }

    /// Returns this core's sums of unit `unit`.
    __aicore__ inline AscendC::GlobalTensor<int32_t> OwnSums(uint32_t unit) {
        const uint32_t core = static_cast<uint32_t>(AscendC::GetSubBlockIdx());
        return sumsGm_[unit % kUnpackSlots * kSlotWords +
                       (kUnpackBytes + core * kColumnSumsBytes) / sizeof(int32_t)];
    }

    /// Stores 8 times the sums of the columns, from the first row of weights to the unit's last
    /// one.
    __aicore__ inline void StoreSums(const Unit& unit) {
        const uint32_t cols = unit.cols;
        AscendC::LocalTensor<int32_t> stored = stored_.AllocTensor<int32_t>();
        AscendC::Muls(sums_.Get<float>(), sums_.Get<float>(), 8.0f, static_cast<int32_t>(cols));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(stored, sums_.Get<float>(), AscendC::RoundMode::CAST_RINT, cols);
        AscendC::PipeBarrier<PIPE_V>();
        if (unit.kBegin != 0) {
            LeaveBuffers();  // the sums of the part before this one are in GM now
            AscendC::LocalTensor<int32_t> before = in_.AllocTensor<int32_t>();
            AscendC::DataCopy(before, OwnSums(count_ - 1), cols);
            in_.EnQue(before);
            before = in_.DeQue<int32_t>();
            AscendC::Add(stored, stored, before, static_cast<int32_t>(cols));
            AscendC::PipeBarrier<PIPE_V>();
            in_.FreeTensor(before);
        }
        stored_.EnQue(stored);
        stored = stored_.DeQue<int32_t>();
        AscendC::DataCopy(OwnSums(count_), stored, cols);
        stored_.FreeTensor(stored);
    }

    const TilingData* tiling_ = nullptr;
    Units units_;
    AscendC::GlobalTensor<int8_t> w_;
    AscendC::GlobalTensor<int8_t> unpacked_;
    AscendC::GlobalTensor<int32_t> sumsGm_;  ///< the same memory as unpacked_
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> stored_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> halfs_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sums_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> part_;
    uint32_t rowBytes_ = 0;
    uint32_t pitch_ = 0;   ///< bytes from row to row of unpacked weights
    uint32_t chunkK_ = 0;  ///< rows of unpacked weights in a buffer of L1
    uint32_t count_ = 0;   ///< number of units that are unpacked
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNPACK_H
