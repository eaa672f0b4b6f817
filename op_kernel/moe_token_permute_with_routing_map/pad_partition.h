// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PAD_PARTITION_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PAD_PARTITION_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../common/strided_writer.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "bits.h"
#include "kernel_operator.h"
#include "map_tile.h"
#include "turned_matrix.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Partitions the tokens of every expert in stable order: first the routed ones, then all others;
/// keeps only the first `slots` tokens. Writes their numbers and probs, expert by expert. A unit of
/// work is 32 experts times a range of tokens. Tiles are transposed, so that the tokens of an
/// expert are contiguous. Then one instruction selects an expert's routed tokens, and one copy
/// writes them.
template <typename T>
class PadPartition {
public:
    __aicore__ inline void Init(GM_ADDR map, GM_ADDR probs, GM_ADDR permuteProbs, GM_ADDR workspace,
                                GM_ADDR order, const TilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        countsGm_.SetGlobalBuffer((__gm__ float*)workspace, tiling->parts * tiling->countPitch);
        orderGm_.SetGlobalBuffer((__gm__ int32_t*)order, tiling->outRows);
        probsGm_.SetGlobalBuffer((__gm__ T*)probs, tiling->tokens * tiling->experts);
        permutedGm_.SetGlobalBuffer((__gm__ T*)permuteProbs);
        map_.Init(map, tiling, pipe, kRows * kGroup, 2);
        writer_.Init(kStageElems, kStageBuffers, pipe);
        pipe->InitBuffer(turned_, kRows * kGroup * sizeof(half));
        pipe->InitBuffer(bits_, 2 * kRows * kGroup / 8);
        pipe->InitBuffer(numbers_, kRows * sizeof(int32_t));
        pipe->InitBuffer(offsets_, kRows * sizeof(int32_t));
        pipe->InitBuffer(counts_, 1, tiling->parts * kGroup * sizeof(float));
        pipe->InitBuffer(tokens_, 2, kRows * sizeof(int32_t));
        if (tiling->hasProbs != 0) {
            pipe->InitBuffer(probsIn_, 2, kRows * kGroup * sizeof(T));
            pipe->InitBuffer(picked_, 2, kRows * sizeof(T));
        }
        AscendC::CreateVecIndex(numbers_.Get<int32_t>(), 0, kRows);
    }

    /// Processes one unit of work: these experts, and the tokens of range `part`.
    __aicore__ inline void Process(int64_t part, const Range& tokens, const Range& experts) {
        Start(part, tokens, experts);
        Rect next = RectAt(tokens.begin, tokens, experts);
        if (next.rows > 0) {
            CopyIn(next);
        }
        while (next.rows > 0) {
            const Rect rect = next;
            next = RectAt(rect.row + rect.rows, tokens, experts);
            if (next.rows > 0) {
                CopyIn(next);
            }
            Partition(rect);
        }
    }

private:
    static constexpr uint32_t kRows = 256;  // 256 bits of an expert are a block of 32 B
    static constexpr uint32_t kWordsPerExpert = kRows / 32;

    __aicore__ inline Rect RectAt(int64_t row, const Range& tokens, const Range& experts) const {
        return {row, experts.begin, static_cast<uint32_t>(Min(kRows, tokens.end - row)),
                static_cast<uint32_t>(experts.Size())};
    }

    /// Computes for each expert the slots of the unit's first routed and first unrouted token.
    __aicore__ inline void Start(int64_t part, const Range& tokens, const Range& experts) {
        AscendC::LocalTensor<float> counts = counts_.AllocTensor<float>();
        LoadRows(counts, countsGm_[experts.begin],
                 Rows(tiling_->parts, kGroup, tiling_->countPitch));
        counts_.EnQue(counts);
        counts = counts_.DeQue<float>();
        Sync<AscendC::HardEvent::MTE2_S>();
        for (uint32_t expert = 0; expert < experts.Size(); ++expert) {
            int32_t before = 0;
            int32_t total = 0;
            for (uint32_t i = 0; i < tiling_->parts; ++i) {
                const int32_t count = static_cast<int32_t>(counts.GetValue(i * kGroup + expert));
                before += i < part ? count : 0;
                total += count;
            }
            ones_[expert] = before;
            zeros_[expert] = total + static_cast<int32_t>(tokens.begin) - before;
        }
        counts_.FreeTensor(counts);
    }

    __aicore__ inline void CopyIn(const Rect& rect) {
        map_.CopyIn(rect);
        if (tiling_->hasProbs == 0) {
            return;
        }
        AscendC::LocalTensor<T> in = probsIn_.template AllocTensor<T>();
        LoadRows(in, probsGm_[rect.row * tiling_->experts + rect.col],
                 rect.RowsAtPitch<T>(tiling_->experts, kGroup));
        probsIn_.EnQue(in);
    }

    __aicore__ inline void Partition(const Rect& rect) {
        Turn(rect);
        AscendC::LocalTensor<T> probs;
        if (tiling_->hasProbs != 0) {
            probs = probsIn_.template DeQue<T>();
        }
        const AscendC::LocalTensor<uint32_t> bits = bits_.Get<uint32_t>();
        const AscendC::LocalTensor<uint32_t> zeroBits = bits[kGroup * kWordsPerExpert];
        for (uint32_t expert = 0; expert < rect.cols; ++expert) {
            const uint32_t word = expert * kWordsPerExpert;
            Emit(rect, expert, bits[word], probs, &ones_[expert]);
            Emit(rect, expert, zeroBits[word], probs, &zeros_[expert]);
        }
        if (tiling_->hasProbs != 0) {
            probsIn_.FreeTensor(probs);
        }
    }

    /// Computes the masks of all experts: first masks of routed tokens, then masks of all others.
    __aicore__ inline void Turn(const Rect& rect) {
        const AscendC::LocalTensor<half> ones = map_.Compute(rect);
        if (rect.rows < kRows) {
            AscendC::Duplicate(ones[rect.Elems()], static_cast<half>(0.0f),
                               static_cast<int32_t>((kRows - rect.rows) * kGroup));
            AscendC::PipeBarrier<PIPE_V>();
        }
        const AscendC::LocalTensor<half> turned = turned_.Get<half>();
        TurnMatrix<half>({turned, kRows}, {ones, kGroup}, kRows, kGroup);
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<uint8_t> bits = bits_.Get<uint8_t>();
        AscendC::CompareScalar(bits, turned, static_cast<half>(0.0f), AscendC::CMPMODE::GT,
                               kRows * kGroup);
        AscendC::CompareScalar(bits[kRows * kGroup / 8], turned, static_cast<half>(0.0f),
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
        writer_.Write(permutedGm_[target * tiling_->probStride], tiling_->probStride, picked,
                      count);
        picked_.FreeTensor(picked);
    }

    const TilingData* tiling_;
    int32_t ones_[kGroup];   ///< by expert: slot of the next routed token
    int32_t zeros_[kGroup];  ///< by expert: slot of the next token that is not routed
    MapTile map_;
    StridedWriter writer_;
    AscendC::GlobalTensor<float> countsGm_;
    AscendC::GlobalTensor<int32_t> orderGm_;
    AscendC::GlobalTensor<T> probsGm_;
    AscendC::GlobalTensor<T> permutedGm_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> turned_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> bits_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> numbers_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> offsets_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> counts_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> tokens_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> probsIn_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> picked_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PAD_PARTITION_H
