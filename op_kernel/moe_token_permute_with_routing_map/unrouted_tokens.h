// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_UNROUTED_TOKENS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_UNROUTED_TOKENS_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../common/strided_writer.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "apart_rows.h"
#include "bits.h"
#include "kernel_operator.h"
#include "map_tile.h"
#include "turned_matrix.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// In pad mode, fills the slots that the routed tokens of an expert leave free with the first
/// tokens that are not routed to it. Tiles are transposed, so that the tokens of an expert are
/// contiguous. Then one instruction selects the tokens of an expert, and one copy writes them.
template <typename T>
class UnroutedTokens {
public:
    __aicore__ inline void Init(GM_ADDR map, GM_ADDR probs, GM_ADDR permuteProbs, GM_ADDR order,
                                const TilingData* tiling, AscendC::TPipe* pipe,
                                StridedWriter* writer) {
        tiling_ = tiling;
        writer_ = writer;
        orderGm_.SetGlobalBuffer((__gm__ int32_t*)order, tiling->outRows);
        map_.Init(map, tiling, pipe, kRows * kGroup, 1);
        pipe->InitBuffer(turned_, kRows * kGroup * sizeof(half));
        pipe->InitBuffer(bits_, kRows * kGroup / 8);
        pipe->InitBuffer(numbers_, kRows * sizeof(int32_t));
        // One buffer each, because all queues to MTE3 together have at most eight buffers.
        pipe->InitBuffer(tokens_, 1, kRows * sizeof(int32_t));
        if (tiling->hasProbs != 0) {
            probsGm_.SetGlobalBuffer((__gm__ T*)probs, tiling->tokens * tiling->experts);
            permutedGm_.SetGlobalBuffer((__gm__ T*)permuteProbs);
            probRows_.Init(tiling->experts);
            pipe->InitBuffer(offsets_, kRows * sizeof(int32_t));
            pipe->InitBuffer(probsIn_, 1, kRows * kGroup * sizeof(T));
            pipe->InitBuffer(picked_, 1, kRows * sizeof(T));
        }
        AscendC::CreateVecIndex(numbers_.Get<int32_t>(), 0, kRows);
    }

    /// Processes these tokens and experts. `slots` has by expert the slot of the first unrouted
    /// token.
    __aicore__ inline void Process(const Range& tokens, const Range& experts, int32_t* slots) {
        AscendC::ICachePreLoad(kPreloadUnits);
        const uint32_t count = static_cast<uint32_t>(experts.Size());
        for (int64_t row = tokens.begin; row < tokens.end && HasRoom(slots, count); row += kRows) {
            const int64_t rows = tokens.end - row;
            const Rect rect = {row, experts.begin,
                               rows < kRows ? static_cast<uint32_t>(rows) : kRows, count};
            CopyIn(rect);
            Turn(rect);
            AscendC::LocalTensor<T> probs;
            if (tiling_->hasProbs != 0) {
                probs = probsIn_.template DeQue<T>();
            }
            const AscendC::LocalTensor<uint32_t> bits = bits_.Get<uint32_t>();
            for (uint32_t expert = 0; expert < count; ++expert) {
                Emit(rect, expert, bits[expert * kWordsPerExpert], probs, &slots[expert]);
            }
            if (tiling_->hasProbs != 0) {
                probsIn_.FreeTensor(probs);
            }
        }
    }

private:
    static constexpr uint32_t kRows = 256;  // 256 bits of an expert are a block of 32 B
    static constexpr uint32_t kWordsPerExpert = kRows / 32;

    __aicore__ inline bool HasRoom(const int32_t* slots, uint32_t count) const {
        for (uint32_t expert = 0; expert < count; ++expert) {
            if (slots[expert] < tiling_->slots) {
                return true;
            }
        }
        return false;
    }

    __aicore__ inline void CopyIn(const Rect& rect) {
        map_.CopyIn(rect);
        if (tiling_->hasProbs == 0) {
            return;
        }
        AscendC::LocalTensor<T> in = probsIn_.template AllocTensor<T>();
        probRows_.Load(in, probsGm_[rect.row * tiling_->experts + rect.col], rect.rows, rect.cols,
                       kGroup, NoPadding<T>());
        probsIn_.EnQue(in);
    }

    /// Computes the masks of all experts, which have a 1 for each token that is not routed.
    __aicore__ inline void Turn(const Rect& rect) {
        const AscendC::LocalTensor<half> ones = map_.Compute(rect);
        if (rect.rows < kRows) {
            AscendC::Duplicate(ones[rect.Elems()], static_cast<half>(0.0f),
                               static_cast<int32_t>((kRows - rect.rows) * kGroup));
            AscendC::PipeBarrier<PIPE_V>();
        }
        const AscendC::LocalTensor<half> turned = turned_.Get<half>();
        TurnMatrix({turned, kRows}, {ones, kGroup}, kRows, kGroup);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::CompareScalar(bits_.Get<uint8_t>(), turned, static_cast<half>(0.0f),
                               AscendC::CMPMODE::EQ, kRows * kGroup);
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// Appends the tokens that `bits` selects to the expert's tokens, as far as there is room.
    __aicore__ inline void Emit(const Rect& rect, uint32_t expert,
                                const AscendC::LocalTensor<uint32_t>& bits,
                                const AscendC::LocalTensor<T>& probs, int32_t* next) {
        const int64_t room = tiling_->slots - *next;
        if (room <= 0) {
            return;
        }
        AscendC::LocalTensor<int32_t> tokens = tokens_.AllocTensor<int32_t>();
        uint64_t kept = 0;
        AscendC::GatherMask(tokens, numbers_.Get<int32_t>(), bits, true, rect.rows, OneRepeat(),
                            kept);
        const uint32_t count = static_cast<uint32_t>(Min(kept, room));
        const int64_t target = (rect.col + expert) * tiling_->slots + *next;
        *next += static_cast<int32_t>(kept);
        if (count > 0) {
            AscendC::PipeBarrier<PIPE_V>();
            if (tiling_->hasProbs != 0) {
                EmitProbs(expert, tokens, probs, target, count);
            }
            AscendC::Adds(tokens, tokens, static_cast<int32_t>(rect.row),
                          static_cast<int32_t>(count));
            tokens_.EnQue(tokens);
            tokens = tokens_.DeQue<int32_t>();
            Store(orderGm_[target], tokens, count);
        }
        tokens_.FreeTensor(tokens);
    }

    __aicore__ inline void EmitProbs(uint32_t expert, const AscendC::LocalTensor<int32_t>& tokens,
                                     const AscendC::LocalTensor<T>& probs, int64_t target,
                                     uint32_t count) {
        const AscendC::LocalTensor<int32_t> offsets = offsets_.Get<int32_t>();
        AscendC::Muls(offsets, tokens, static_cast<int32_t>(kGroup * sizeof(T)),
                      static_cast<int32_t>(count));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::LocalTensor<T> picked = picked_.template AllocTensor<T>();
        AscendC::Gather(picked, probs, offsets.ReinterpretCast<uint32_t>(),
                        static_cast<uint32_t>(expert * sizeof(T)), count);
        picked_.EnQue(picked);
        picked = picked_.template DeQue<T>();
        AscendC::PipeBarrier<PIPE_V>();
        writer_->Write(permutedGm_[target * tiling_->probStride], tiling_->probStride, picked,
                       count);
        picked_.FreeTensor(picked);
    }

    const TilingData* tiling_;
    StridedWriter* writer_;
    MapTile map_;
    ApartRows<T> probRows_;
    AscendC::GlobalTensor<int32_t> orderGm_;
    AscendC::GlobalTensor<T> probsGm_;
    AscendC::GlobalTensor<T> permutedGm_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> turned_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> bits_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> numbers_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> offsets_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> tokens_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> probsIn_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> picked_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_UNROUTED_TOKENS_H
