// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_KERNEL_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_KERNEL_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../moe_init_routing_v2_grad_tiling.h"
#include "kernel_operator.h"
#include "row_sum.h"
#include "slot_loader.h"
#include "step.h"

namespace ops::MoeInitRoutingV2GradOp {

/// Sums, for each token, the gradients of the rows to which the token was copied (its slots). T:
/// half, bfloat16_t or float. The rows of a step are in one buffer, place by place, and within a
/// place token by token. So a few wide additions sum over the slots for all tokens of a tile.
/// Skipped slots are filled with zeros, not read from GM.
template <typename T>
class Kernel {
public:
    __aicore__ inline Kernel() {}

    __aicore__ inline void Init(GM_ADDR gradExpandedX, GM_ADDR expandedRowIdx, GM_ADDR gradX,
                                const MoeInitRoutingV2GradTilingData* tiling,
                                AscendC::TPipe* pipe) {
        tiling_ = *tiling;
        gradXGm_.SetGlobalBuffer((__gm__ T*)gradX, tiling_.tokens * tiling_.cols);
        gradXPastL2_ = gradXGm_;
        gradXPastL2_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
        steps_ = Steps<T>(&tiling_);
        InitBuffers(pipe);
        loader_.Init(&tiling_, gradExpandedX, expandedRowIdx, buffer_.Get<int32_t>());
    }

    __aicore__ inline void Process() {
        const Range tiles = ShareOfBlock(tiling_.tiles);
        int64_t left = tiles.Size();  // tiles of which steps are not loaded yet
        if (left == 0) {
            return;
        }
        ClearGaps();
        loader_.SetIndexEnd(steps_.IndexEnd(tiles.end));
        Step next = steps_.At(tiles.begin);
        CopyIn(&next, 0);
        uint32_t buffer = 0;
        int64_t tile = 0;
        do {
            const Step step = next;
            left -= step.last ? 1 : 0;
            // MTE2 loads the next rows while V sums the current rows and MTE3 copies a result out.
            if (left > 0) {
                next = steps_.After(step);
                CopyIn(&next, kSumBuffers - 1 - buffer);
            }
            const uint32_t outBuffer = static_cast<uint32_t>(tile) % kSumBuffers;
            if (step.present == kManyRows) {
                Compute(step, buffer, outBuffer, tile >= kSumBuffers);
            } else {
                ComputeFew(step, buffer, outBuffer, tile >= kSumBuffers);
            }
            if (step.last) {
                CopyOut(step, outBuffer, tile < tiling_.tilesThroughL2,
                        tile + kSumBuffers < tiles.Size());
                ++tile;
            }
            buffer = kSumBuffers - 1 - buffer;
        } while (left > 0);
        for (uint32_t i = 0; i < kSumBuffers; ++i) {
            AwaitFree(i);
        }
    }

private:
    static constexpr bool kWidens = sizeof(T) < sizeof(float);

    /// Puts into UB: the indices, the rows of two steps, two results, and for 16-bit types the rows
    /// of one step as floats, and the sum of a tile's earlier steps.
    __aicore__ inline void InitBuffers(AscendC::TPipe* pipe) {
        const uint32_t elems = tiling_.tileElems;
        inElems_ = tiling_.slotsPerStep * elems + tiling_.gapElems;
        const uint32_t typed = kSumBuffers * (inElems_ + elems);
        const uint32_t floats = kWidens ? inElems_ + (tiling_.stepsPerTile > 1 ? elems : 0) : 0;
        pipe->InitBuffer(buffer_, tiling_.indexElems * sizeof(int32_t) + typed * sizeof(T) +
                                      floats * sizeof(float));
        in_ = buffer_.Get<T>()[tiling_.indexElems * sizeof(int32_t) / sizeof(T)];
        out_ = in_[kSumBuffers * inElems_];
        if constexpr (kWidens) {
            wide_ = buffer_.Get<float>()[tiling_.indexElems + typed * sizeof(T) / sizeof(float)];
        }
    }

    /// Fills the input buffers with zeros, and frees them. Additions also read the gaps between
    /// rows, which no copy fills.
    __aicore__ inline void ClearGaps() {
        AscendC::Duplicate(in_, T(0.0f), static_cast<int32_t>(kSumBuffers * inElems_));
        for (uint32_t i = 0; i < kSumBuffers; ++i) {
            Free(i);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// Loads the rows of a step, and sets step->present.
    __aicore__ inline void CopyIn(Step* step, uint32_t buffer) {
        const uint32_t place = loader_.Require(*step);
        AwaitFree(buffer);
        loader_.Load(step, PlacesOf(*step), in_[buffer * inElems_], place);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(static_cast<event_t>(buffer));
    }

    /// Returns the places of a step's rows. The last step of a tile may have fewer rows.
    __aicore__ inline const RowPlaces& PlacesOf(const Step& step) {
        if (places_.rows != step.slots) {
            places_ = RowPlaces(step.slots);
            places_.shift = tiling_.gapElems > 0 ? kUbShiftFloats : 0;
        }
        places_.pitch = step.slotPitch;
        return places_;
    }

    /// `used` says that MTE3 has read an earlier result from `outBuffer`.
    __aicore__ inline void Compute(const Step& step, uint32_t buffer, uint32_t outBuffer,
                                   bool used) {
        const event_t event = static_cast<event_t>(buffer);
        const AscendC::LocalTensor<T> in = in_[buffer * inElems_];
        const AscendC::LocalTensor<T> out = out_[outBuffer * tiling_.tileElems];
        const RowPlaces& places = PlacesOf(step);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(event);
        if constexpr (kWidens) {
            AscendC::Cast(wide_, in, AscendC::RoundMode::CAST_NONE, places.EndOf(places.rows - 1));
            Free(buffer);
            AscendC::PipeBarrier<PIPE_V>();
            const AscendC::LocalTensor<float> total =
                tiling_.stepsPerTile > 1 ? wide_[inElems_] : wide_;
            SumStep(total, wide_, places, step.IsFirst());
            if (step.last) {
                AwaitStored(outBuffer, used);
                AscendC::Cast(out, total, AscendC::RoundMode::CAST_RINT, step.Elems());
                AscendC::PipeBarrier<PIPE_V>();  // the next Cast overwrites the sum
            }
        } else {
            if (step.IsFirst()) {
                AwaitStored(outBuffer, used);
            }
            SumStep(out, in, places, step.IsFirst());
            Free(buffer);
        }
    }

    /// Adds at most two rows of a token. Zeros instead of the other rows would not change the sum,
    /// except that it cannot be -0. Adding 0 has the same effect.
    __aicore__ inline void ComputeFew(const Step& step, uint32_t buffer, uint32_t outBuffer,
                                      bool used) {
        const event_t event = static_cast<event_t>(buffer);
        const AscendC::LocalTensor<T> in = in_[buffer * inElems_];
        const AscendC::LocalTensor<T> out = out_[outBuffer * tiling_.tileElems];
        const int32_t elems = static_cast<int32_t>(step.pitch);
        const uint32_t second = PlacesOf(step).PairDistance();
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(event);
        AwaitStored(outBuffer, used);
        if (step.present == 0) {
            AscendC::Duplicate(out, T(0.0f), elems);
        } else if constexpr (kWidens) {
            for (uint32_t i = 0; i < step.present; ++i) {
                AscendC::Cast(wide_[i * second], in[i * second], AscendC::RoundMode::CAST_NONE,
                              step.pitch);
            }
            AscendC::PipeBarrier<PIPE_V>();
            AddFew(wide_, wide_, second, step.present, elems);
            AscendC::Cast(out, wide_, AscendC::RoundMode::CAST_RINT, step.pitch);
        } else {
            AddFew(out, in, second, step.present, elems);
        }
        AscendC::PipeBarrier<PIPE_V>();
        Free(buffer);
    }

    __aicore__ inline static void AddFew(const AscendC::LocalTensor<float>& sum,
                                         const AscendC::LocalTensor<float>& rows, uint32_t second,
                                         uint32_t count, int32_t elems) {
        if (count > 1) {
            AscendC::Add(sum, rows, rows[second], elems);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Adds(sum, sum, 0.0f, elems);
        } else {
            AscendC::Adds(sum, rows, 0.0f, elems);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void CopyOut(const Step& step, uint32_t outBuffer, bool throughL2,
                                   bool again) {
        const event_t event = static_cast<event_t>(outBuffer);
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(event);
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(event);
        const AscendC::GlobalTensor<T>& gm = throughL2 ? gradXGm_ : gradXPastL2_;
        StoreRows(gm[step.token * tiling_.cols + step.col], out_[outBuffer * tiling_.tileElems],
                  Rows(step.tokens, step.cols, tiling_.cols));
        if (again) {
            AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(event);
        }
    }

    __aicore__ inline static void Free(uint32_t buffer) {
        AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(static_cast<event_t>(buffer));
    }
    __aicore__ inline static void AwaitFree(uint32_t buffer) {
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(static_cast<event_t>(buffer));
    }
    __aicore__ inline static void AwaitStored(uint32_t outBuffer, bool used) {
        if (used) {
            AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(static_cast<event_t>(outBuffer));
        }
    }

    MoeInitRoutingV2GradTilingData tiling_;
    AscendC::GlobalTensor<T> gradXGm_;
    AscendC::GlobalTensor<T> gradXPastL2_;  ///< the same tensor
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
    uint32_t inElems_ = 0;              ///< elements of the rows of a step, with their gaps
    AscendC::LocalTensor<T> in_;        ///< the rows of each input buffer
    AscendC::LocalTensor<T> out_;       ///< the results of each output buffer
    AscendC::LocalTensor<float> wide_;  ///< the rows of a step as floats, then the earlier sum
    Steps<T> steps_;
    SlotLoader<T> loader_;
    RowPlaces places_;
};

}  // namespace ops::MoeInitRoutingV2GradOp

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_KERNEL_H
