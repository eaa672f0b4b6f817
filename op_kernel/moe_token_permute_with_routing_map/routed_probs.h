// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROUTED_PROBS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROUTED_PROBS_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../common/strided_writer.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "bits.h"
#include "kernel_operator.h"
#include "map_tile.h"
#include "routed_tile.h"
#include "turned_matrix.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Copies the probs of a range of tokens to the output, where the probs of one expert are
/// contiguous. So tiles of the map and the probs are transposed. Then one instruction selects all
/// routed probs, and one copy per expert writes them. A copy starts at a block of UB. Therefore
/// a block of fillers follows the tokens of each expert. The instruction also selects fillers until
/// the expert's last block is full.
template <typename T>
class RoutedProbs {
public:
    __aicore__ inline void Init(GM_ADDR map, GM_ADDR probs, GM_ADDR permuted,
                                const TilingData* tiling, const Range& tokens, AscendC::TPipe* pipe,
                                StridedWriter* writer) {
        tiling_ = tiling;
        tokens_ = tokens;
        writer_ = writer;
        rowTiles_ = CeilDiv(tokens.Size(), tiling->probRows);
        tiles_ = CeilDiv(tiling->experts, tiling->probCols) * rowTiles_;
        pitch_ = tiling->probRows + kFillRows;
        probsGm_.SetGlobalBuffer((__gm__ T*)probs, tiling->tokens * tiling->experts);
        permutedGm_.SetGlobalBuffer((__gm__ T*)permuted);
        const uint32_t cols = tiling->probCols;
        map_.Init(map, tiling, pipe, tiling->probRows * cols, 1);
        pipe->InitBuffer(in_, 1, tiling->probRows * cols * sizeof(T));
        pipe->InitBuffer(turnedMap_, pitch_ * cols * sizeof(half));
        pipe->InitBuffer(turnedProbs_, pitch_ * cols * sizeof(T));
        pipe->InitBuffer(picked_, 1, pitch_ * cols * sizeof(T));
        pipe->InitBuffer(bits_, pitch_ * cols / 8);
        pipe->InitBuffer(counts_, cols * sizeof(half));
        pipe->InitBuffer(filling_, 2 * cols * sizeof(int16_t));
        pipe->InitBuffer(ramp_, kBlockBytes);
        pipe->InitBuffer(next_, tiling->tileCols * sizeof(float));
        pipe->InitBuffer(floats_, cols * sizeof(float));
        pipe->InitBuffer(runs_, 2 * cols * sizeof(int32_t));
        AscendC::CreateVecIndex(ramp_.Get<half>(), static_cast<half>(0.0f), kFillRows);
        AscendC::Duplicate(filling_.Get<int16_t>(), static_cast<int16_t>(kElemsPerBlock<T> - 1),
                           static_cast<int32_t>(cols));
        ClearGaps();
        CopyIn(RectAt(index_));
    }

    /// Copies the first positions to next_. Call this before RoutedTile::Locate() changes them. If
    /// the positions do not stay in UB, also processes all tiles.
    __aicore__ inline void Start(RoutedTile* tile) {
        AscendC::PipeBarrier<PIPE_V>();
        if (tile->Resident()) {
            CopyPositions(tile, 0, static_cast<uint32_t>(tiling_->countPitch));
            return;
        }
        for (int64_t col = 0; col < tiling_->experts; col += tiling_->probCols) {
            CopyPositions(tile, col, RectAt(index_).Pitch());
            for (int64_t i = 0; i < rowTiles_; ++i) {
                ProcessTile(0);
            }
        }
    }

    /// Processes the next tile; returns false if there is none.
    __aicore__ inline bool ProcessNext() {
        if (index_ == tiles_) {
            return false;
        }
        ProcessTile(RectAt(index_).col);
        return true;
    }

    __aicore__ inline const AscendC::GlobalTensor<T>& Permuted() const { return permutedGm_; }

private:
    static constexpr uint32_t kBrcbElems = 8;  ///< elements that one repeat of Brcb reads
    static constexpr uint64_t kHalves = 128;   ///< elements of half in one repeat

    __aicore__ inline Rect RectAt(int64_t index) const {
        const int64_t row = tokens_.begin + index % rowTiles_ * tiling_->probRows;
        const int64_t col = index / rowTiles_ * tiling_->probCols;
        return {row, col, static_cast<uint32_t>(Min(tiling_->probRows, tokens_.end - row)),
                static_cast<uint32_t>(Min(tiling_->probCols, tiling_->experts - col))};
    }

    /// Fills the buffers with zeros: transpositions and selections read gaps that no copy fills.
    __aicore__ inline void ClearGaps() {
        AscendC::LocalTensor<T> in = in_.template AllocTensor<T>();
        AscendC::Duplicate(in, static_cast<T>(0), static_cast<int32_t>(in.GetSize()));
        in_.FreeTensor(in);
        const AscendC::LocalTensor<T> turned = turnedProbs_.Get<T>();
        AscendC::Duplicate(turned, static_cast<T>(0), static_cast<int32_t>(turned.GetSize()));
    }

    __aicore__ inline void CopyIn(const Rect& rect) {
        map_.CopyIn(rect);
        AscendC::LocalTensor<T> in = in_.template AllocTensor<T>();
        LoadRows(in, probsGm_[rect.row * tiling_->experts + rect.col],
                 rect.RowsAtPitch<T>(tiling_->experts, rect.Pitch()));
        in_.EnQue(in);
    }

    __aicore__ inline void CopyPositions(RoutedTile* tile, int64_t col, uint32_t cols) {
        AscendC::Adds(next_.Get<float>(), tile->Positions(col), 0.0f, static_cast<int32_t>(cols));
    }

    /// Processes the next tile. Index `at` of next_ belongs to the first expert of the tile.
    __aicore__ inline void ProcessTile(int64_t at) {
        const Rect rect = RectAt(index_++);
        FindRuns(rect, next_.Get<float>()[at]);
        AscendC::LocalTensor<T> picked = Pick(rect);
        // MTE2 loads the next tile while MTE3 copies out the selected probs of this tile.
        if (index_ < tiles_) {
            CopyIn(RectAt(index_));
        }
        WriteRuns(rect, picked);
    }

    /// Transposes the map. Computes how many tokens each expert has, and where their probs go.
    __aicore__ inline void FindRuns(const Rect& rect, const AscendC::LocalTensor<float>& next) {
        const uint32_t cols = rect.Pitch();
        const AscendC::LocalTensor<half> ones = map_.Compute(rect);
        if (rect.rows < tiling_->probRows) {
            AscendC::Duplicate(ones[rect.Elems()], static_cast<half>(0.0f),
                               static_cast<int32_t>((tiling_->probRows - rect.rows) * cols));
            AscendC::PipeBarrier<PIPE_V>();
        }
        const AscendC::LocalTensor<half> turned = turnedMap_.Get<half>();
        TurnMatrix<half>({turned, pitch_}, {ones, cols}, tiling_->probRows, cols);
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<half> counts = counts_.Get<half>();
        AscendC::WholeReduceSum(counts, turned, static_cast<int32_t>(tiling_->probRows),
                                static_cast<int32_t>(cols), 1, 1,
                                static_cast<int32_t>(pitch_ / kElemsPerBlock<half>));
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<float> floats = floats_.Get<float>();
        const AscendC::LocalTensor<int32_t> runs = runs_.Get<int32_t>();
        const int32_t count = static_cast<int32_t>(cols);
        AscendC::Cast(runs, counts, AscendC::RoundMode::CAST_RINT, cols);
        AscendC::Mins(floats, next, static_cast<float>(tiling_->outRows), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(runs[cols], floats, AscendC::RoundMode::CAST_RINT, cols);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(floats, counts, AscendC::RoundMode::CAST_NONE, cols);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(next, next, floats, count);
    }

    /// Selects the probs of the routed tokens, expert by expert. Each expert starts at a block.
    __aicore__ inline AscendC::LocalTensor<T> Pick(const Rect& rect) {
        using Word = T;  // GatherMask reads mask words as wide as the data
        const uint32_t cols = rect.Pitch();
        FillBlocks(cols);
        const AscendC::LocalTensor<half> turnedMap = turnedMap_.Get<half>();
        const AscendC::LocalTensor<T> turnedProbs = turnedProbs_.Get<T>();
        AscendC::CompareScalar(bits_.Get<uint8_t>(), turnedMap, static_cast<half>(0.0f),
                               AscendC::CMPMODE::GT, cols * pitch_);
        AscendC::LocalTensor<T> in = in_.template DeQue<T>();
        TurnMatrix<T>({turnedProbs, pitch_}, {in, cols}, tiling_->probRows, cols);
        in_.FreeTensor(in);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::LocalTensor<T> picked = picked_.template AllocTensor<T>();
        uint64_t kept = 0;
        AscendC::GatherMask(picked, turnedProbs, bits_.Get<Word>(), true, cols * pitch_,
                            OneRepeat(), kept);
        picked_.EnQue(picked);
        return picked_.template DeQue<T>();
    }

    /// Marks fillers after each expert's tokens as routed, until the expert's last block is full.
    __aicore__ inline void FillBlocks(uint32_t cols) {
        const AscendC::LocalTensor<int16_t> rest = filling_.Get<int16_t>();
        const AscendC::LocalTensor<int16_t> filling = rest[tiling_->probCols];
        const AscendC::LocalTensor<half> counts = counts_.Get<half>();
        const int32_t count = static_cast<int32_t>(cols);
        AscendC::Cast(filling, counts, AscendC::RoundMode::CAST_RINT, cols);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(filling, filling, static_cast<int16_t>(-1), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::And(filling, filling, rest, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(counts, filling, AscendC::RoundMode::CAST_NONE, cols);
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<half> fillers = turnedMap_.Get<half>()[tiling_->probRows];
        const uint8_t blocks = static_cast<uint8_t>(pitch_ / kElemsPerBlock<half>);
        const uint8_t step = blocks * kBrcbElems;
        const uint8_t repeats = static_cast<uint8_t>(cols / kBrcbElems);
        AscendC::Brcb(fillers, counts, repeats, {blocks, step});
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sub(fillers, fillers, ramp_.Get<half>(), kHalves, repeats,
                     {blocks, blocks, 0, step, step, 0});
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void WriteRuns(const Rect& rect, AscendC::LocalTensor<T>& picked) {
        const AscendC::LocalTensor<int32_t> runs = runs_.Get<int32_t>();
        Sync<AscendC::HardEvent::V_S>();  // also orders Spread() after the selection
        uint32_t start = 0;
        for (uint32_t expert = 0; expert < rect.cols; ++expert) {
            const int32_t count = runs.GetValue(expert);
            if (count == 0) {
                continue;
            }
            const int64_t target = runs.GetValue(rect.Pitch() + expert);
            const int64_t written = Min(count, tiling_->outRows - target);
            if (written > 0) {
                writer_->Write(permutedGm_[target * tiling_->probStride], tiling_->probStride,
                               picked[start], static_cast<uint32_t>(written));
            }
            start += RoundUp(static_cast<uint32_t>(count), kElemsPerBlock<T>);
        }
        picked_.FreeTensor(picked);
    }

    const TilingData* tiling_;
    Range tokens_;
    int64_t rowTiles_;
    int64_t tiles_;
    int64_t index_ = 0;  ///< next tile; tiles are numbered by experts, then by tokens
    uint32_t pitch_;     ///< row length of a transposed tile: its tokens, then a block of fillers
    StridedWriter* writer_;
    MapTile map_;
    AscendC::GlobalTensor<T> probsGm_;
    AscendC::GlobalTensor<T> permutedGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> picked_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> turnedMap_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> turnedProbs_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> bits_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> counts_;   ///< number of routed tokens by expert
    AscendC::TBuf<AscendC::TPosition::VECCALC> filling_;  ///< a mask, then filler counts by expert
    AscendC::TBuf<AscendC::TPosition::VECCALC> ramp_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> next_;  ///< next output position of each expert
    AscendC::TBuf<AscendC::TPosition::VECCALC> floats_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> runs_;  ///< first token counts, later positions
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROUTED_PROBS_H
