// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_KERNEL_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_KERNEL_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../moe_init_routing_v2_grad_tiling.h"
#include "index_window.h"
#include "kernel_operator.h"
#include "row_sum.h"

namespace ops::MoeInitRoutingV2GradOp {

/// Sums, for each token, the gradients of the rows to which the token was copied (its slots). T:
/// half, bfloat16_t or float. The rows of a step are in one queue entry, slot by slot, and within a
/// slot token by token. So a few wide additions sum over the slots for all tokens of a tile.
/// Skipped slots are filled with zeros, not read from GM.
template <typename T>
class Kernel {
public:
    __aicore__ inline Kernel() {}

    __aicore__ inline void Init(GM_ADDR gradExpandedX, GM_ADDR expandedRowIdx, GM_ADDR gradX,
                                const MoeInitRoutingV2GradTilingData* tiling,
                                AscendC::TPipe* pipe) {
        tiling_ = *tiling;
        gradGm_.SetGlobalBuffer((__gm__ T*)gradExpandedX, tiling_.rows * tiling_.cols);
        gradXGm_.SetGlobalBuffer((__gm__ T*)gradX, tiling_.tokens * tiling_.cols);
        const uint32_t bytes = tiling_.tileElems * sizeof(T);
        pipe->InitBuffer(inQueue_, kBuffers,
                         tiling_.slotsPerChunk * bytes + tiling_.gapElems * sizeof(T));
        pipe->InitBuffer(outQueue_, kBuffers, bytes);
        index_.Init(pipe, expandedRowIdx, tiling_.tokens * tiling_.slots, tiling_.indexElems);
        if (tiling_.slots > 1) {
            const uint32_t rows = tiling_.slotsPerChunk + (tiling_.chunks > 1 ? 1 : 0);
            sum_.Init(pipe, rows * tiling_.tileElems + tiling_.gapElems);
            ClearGaps();
        }
    }

    __aicore__ inline void Process() {
        const Range tiles = ShareOfBlock(tiling_.tiles);
        const int64_t first = tiles.begin * tiling_.chunks;
        const int64_t end = tiles.end * tiling_.chunks;
        if (first >= end) {
            return;
        }
        const Step last = StepAt(end - 1);
        indexEnd_ = (last.token + last.tokens) * tiling_.slots;
        CopyIn(StepAt(first));
        for (int64_t index = first; index < end; ++index) {
            // MTE2 loads the next rows while V sums the current rows and MTE3 copies a result out.
            if (index + 1 < end) {
                CopyIn(StepAt(index + 1));
            }
            const Step step = StepAt(index);
            Compute(step);
            if (step.last) {
                CopyOut(step);
            }
        }
    }

private:
    static constexpr int32_t kBuffers = 2;
    static constexpr uint32_t kNone = UINT32_MAX;

    /// A step: some of the slots of one tile's tokens.
    struct Step {
        int64_t token;
        int64_t col;
        int64_t slot;
        uint32_t tokens;
        uint32_t cols;
        uint32_t slots;
        uint32_t pitch;      ///< elements from row to row in UB: cols rounded up to 32 B
        uint32_t slotPitch;  ///< elements from slot to slot in UB
        uint32_t shift;      ///< RowPlaces::shift
        bool last;           ///< last step of its tile

        __aicore__ inline bool IsFirst() const { return slot == 0; }
        __aicore__ inline uint32_t Elems() const { return tokens * pitch; }
        /// Returns the offsets of the step's rows, which come after the sum of the earlier steps.
        __aicore__ inline RowPlaces Places() const {
            return {RowSum<T>::Before(IsFirst()) + slots, slotPitch, shift};
        }
    };

    /// Fills the input buffers with zeros. Additions also read the gaps between rows, which no copy
    /// fills.
    __aicore__ inline void ClearGaps() {
        for (int32_t i = 0; i < kBuffers; ++i) {
            AscendC::LocalTensor<T> in = inQueue_.template AllocTensor<T>();
            AscendC::Duplicate(in, T(0.0f), static_cast<int32_t>(in.GetSize()));
            inQueue_.FreeTensor(in);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline Step StepAt(int64_t index) const {
        const int64_t tile = index / tiling_.chunks;
        Step step;
        step.slot = index % tiling_.chunks * tiling_.slotsPerChunk;
        step.token = tile / tiling_.colTiles * tiling_.tokensPerTile;
        step.col = tile % tiling_.colTiles * tiling_.colsPerTile;
        step.tokens =
            static_cast<uint32_t>(Min(tiling_.tokens - step.token, tiling_.tokensPerTile));
        step.cols = static_cast<uint32_t>(Min(tiling_.cols - step.col, tiling_.colsPerTile));
        step.slots = static_cast<uint32_t>(Min(tiling_.slots - step.slot, tiling_.slotsPerChunk));
        step.pitch = RoundUp(step.cols, kElemsPerBlock<T>);
        step.slotPitch = RoundUp(step.Elems(), tiling_.rowUnit);
        step.shift = tiling_.gapElems > 0 ? kUbShiftFloats : 0;
        step.last = step.slot + step.slots == tiling_.slots;
        return step;
    }

    __aicore__ inline void CopyIn(const Step& step) {
        const int64_t first = step.token * tiling_.slots + step.slot;
        const int64_t end = first + (step.tokens - 1) * tiling_.slots + step.slots;
        index_.Require(first, end, indexEnd_);
        AscendC::LocalTensor<T> in = inQueue_.template AllocTensor<T>();
        const RowPlaces places = step.Places();
        const uint32_t before = RowSum<T>::Before(step.IsFirst());
        const uint32_t begin = before > 0 ? places.OffsetOf(before) : 0;
        uint32_t skipped = kNone;
        uint32_t behind = 0;  // end of the rows that are already handled
        for (uint32_t slot = 0; slot < step.slots; ++slot) {
            uint32_t offset = places.OffsetOf(before + slot) - begin;
            for (uint32_t token = 0; token < step.tokens; ++token) {
                const int64_t row = index_.At(first + token * tiling_.slots + slot);
                if (row >= 0 && row < tiling_.rows) {
                    FillZeros(in, skipped, offset);
                    skipped = kNone;
                    Load(in[offset], gradGm_[row * tiling_.cols + step.col], step.cols);
                } else {
                    skipped = Min(skipped, offset);
                }
                offset += step.pitch;
            }
            behind = offset;
        }
        FillZeros(in, skipped, behind);
        inQueue_.EnQue(in);
    }

    /// Writes zeros to the skipped slots from offset `begin` to `end`. Only V reads the buffer, and
    /// no copy of this step writes these rows, so a barrier of V is enough.
    __aicore__ inline void FillZeros(const AscendC::LocalTensor<T>& in, uint32_t begin,
                                     uint32_t end) {
        if (begin != kNone) {
            AscendC::Duplicate(in[begin], T(0.0f), static_cast<int32_t>(end - begin));
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    __aicore__ inline void Compute(const Step& step) {
        AscendC::LocalTensor<T> in = inQueue_.template DeQue<T>();
        if (step.IsFirst()) {
            out_ = outQueue_.template AllocTensor<T>();
        }
        if (tiling_.slots == 1) {
            AscendC::DataCopy(out_, in, step.Elems());
            AscendC::PipeBarrier<PIPE_V>();
        } else {
            sum_.Add(out_, in, step.Places(), step.IsFirst());
            if (step.last) {
                sum_.Finish(out_, step.Elems());
            }
        }
        inQueue_.FreeTensor(in);
    }

    __aicore__ inline void CopyOut(const Step& step) {
        outQueue_.EnQue(out_);
        AscendC::LocalTensor<T> out = outQueue_.template DeQue<T>();
        StoreRows(gradXGm_[step.token * tiling_.cols + step.col], out,
                  Rows(step.tokens, step.cols, tiling_.cols));
        outQueue_.FreeTensor(out);
    }

    MoeInitRoutingV2GradTilingData tiling_;
    int64_t indexEnd_ = 0;  ///< end of this block's part of the index array
    AscendC::GlobalTensor<T> gradGm_;
    AscendC::GlobalTensor<T> gradXGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, kBuffers> inQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, kBuffers> outQueue_;
    AscendC::LocalTensor<T> out_;
    IndexWindow index_;
    RowSum<T> sum_;
};

}  // namespace ops::MoeInitRoutingV2GradOp

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_KERNEL_H
