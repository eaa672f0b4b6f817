// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EXPERT_RUNS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EXPERT_RUNS_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../common/strided_writer.h"
#include "../common/sync.h"
#include "../common/ub_slices.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "first_positions.h"
#include "kernel_operator.h"
#include "row_tiles.h"
#include "run_list.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Copies the probs of a range of tokens to the output; also the tokens if their rows are short, or
/// in pad mode their numbers. The rows of one expert are consecutive in the output. So they are
/// collected in UB expert by expert, and one copy writes all rows that a tile has for an expert.
template <typename T>
class ExpertRuns {
public:
    /// Allocates the experts' positions. Call this before Start() or Init().
    __aicore__ inline void InitPositions(const TilingData* tiling, AscendC::TPipe* pipe) {
        pipe->InitBuffer(next_, tiling->tileCols * sizeof(float));
    }

    __aicore__ inline void Init(GM_ADDR map, GM_ADDR probs, GM_ADDR permuted,
                                const TilingData* tiling, const Range& tokens, AscendC::TPipe* pipe,
                                StridedWriter* writer) {
        tiling_ = tiling;
        tokens_ = tokens;
        experts_ = {0, tiling->experts};
        limit_ = static_cast<int32_t>(tiling->outRows);
        writer_ = writer;
        shift_ = 0;
        while ((1U << shift_) < tiling->runCols) {
            ++shift_;
        }
        list_.Init(map, tiling, kElemsPerBlock<T>, pipe);
        const uint32_t piece = tiling->pieceRows;
        slices_.Init(piece * (sizeof(float) + 2 * sizeof(int32_t)), pipe);
        floats_ = slices_.Take<float>(piece);
        numbers_ = slices_.Take<int32_t>(piece);
        offsets_ = slices_.Take<int32_t>(piece);
        // Gathers read up to 63 offsets more than there are rows.
        AscendC::Duplicate(offsets_, 0, static_cast<int32_t>(tiling->pieceRows));
        if (tiling->hasProbs != 0) {
            probsGm_.SetGlobalBuffer((__gm__ T*)probs, tiling->tokens * tiling->experts);
            permutedGm_.SetGlobalBuffer((__gm__ T*)permuted);
            probRows_.Init(tiling->experts);
            pipe->InitBuffer(in_, 1, tiling->runRows * tiling->runCols * sizeof(T));
            pipe->InitBuffer(picked_, 2, tiling->pieceRows * sizeof(T));
        }
    }

    /// Also moves the tokens: all columns of them.
    __aicore__ inline void MoveTokens(GM_ADDR tokens, GM_ADDR permuteTokens, AscendC::TPipe* pipe) {
        rows_.Init(tokens, permuteTokens, tiling_, pipe);
        movesTokens_ = true;
    }

    /// Writes the numbers of the tokens to `order`, and at most `slots` tokens for each expert.
    __aicore__ inline void ListNumbers(GM_ADDR order, AscendC::TPipe* pipe) {
        orderGm_.SetGlobalBuffer((__gm__ int32_t*)order, tiling_->outRows);
        pipe->InitBuffer(ids_, 2, tiling_->pieceRows * sizeof(int32_t));
        perExpert_ = tiling_->slots;
        limit_ = static_cast<int32_t>(tiling_->slots);
        listsNumbers_ = true;
    }

    /// Processes these tokens and experts. `positions` has the next position of each expert.
    __aicore__ inline void ProcessUnit(const Range& tokens, const Range& experts,
                                       const AscendC::LocalTensor<float>& positions) {
        tokens_ = tokens;
        experts_ = experts;
        nextTile_ = RectAt(tokens.begin, experts.begin);
        if (tokens.Size() == 0) {
            return;
        }
        list_.CopyIn(nextTile_);
        CopyInData(nextTile_);
        AscendC::Adds(next_.Get<float>(), positions, 0.0f, static_cast<int32_t>(tiling_->runCols));
        while (ProcessNext()) {
        }
    }

    /// Loads the first tile.
    __aicore__ inline void LoadFirst() {
        nextTile_ = RectAt(tokens_.begin, 0);
        list_.CopyIn(nextTile_);
        CopyInData(nextTile_);
    }

    /// Copies the first positions of all experts. Call this before RoutedTile::Locate() changes
    /// them; Init() may follow later.
    __aicore__ inline void Start(FirstPositions* firsts) {
        AscendC::Adds(next_.Get<float>(), firsts->At(0), 0.0f, firsts->Size());
    }

    /// Processes the next piece of the list; returns false if there is none.
    __aicore__ inline bool ProcessNext() {
        if (!isOpen_) {
            if (nextTile_.row >= tokens_.end) {
                WritePending();
                return false;
            }
            OpenTile();
        }
        const uint32_t left = list_.Length() - done_;
        const uint32_t count = left < tiling_->pieceRows ? left : tiling_->pieceRows;
        if (count > 0) {
            Move(done_, count);
            done_ += count;
        }
        if (count == left) {
            CloseTile();
        }
        return true;
    }

private:
    /// Returns the tile of these tokens and experts.
    __aicore__ inline Rect RectAt(int64_t row, int64_t col) const {
        const int64_t rows = tokens_.end - row;
        const int64_t cols = experts_.end - col;
        return {row, col, rows < tiling_->runRows ? static_cast<uint32_t>(rows) : tiling_->runRows,
                cols < tiling_->runCols ? static_cast<uint32_t>(cols) : tiling_->runCols};
    }

    /// Returns the tile after `rect`: first the next experts, then the next tokens.
    __aicore__ inline Rect Following(const Rect& rect) const {
        const int64_t col = rect.col + tiling_->runCols;
        return col < experts_.end ? RectAt(rect.row, col)
                                  : RectAt(rect.row + rect.rows, experts_.begin);
    }

    /// Loads the tokens and the probs of a tile.
    __aicore__ inline void CopyInData(const Rect& rect) {
        if (movesTokens_ && rect.col == experts_.begin) {
            rows_.CopyIn(rect.row, rect.rows);
        }
        if (tiling_->hasProbs != 0) {
            AscendC::LocalTensor<T> in = in_.template AllocTensor<T>();
            probRows_.Load(in, probsGm_[rect.row * tiling_->experts + rect.col], rect.rows,
                           rect.cols, tiling_->runCols, NoPadding<T>());
            in_.EnQue(in);
        }
    }

    /// Begins with the next tile. Loads the map of the tile after it as soon as there is room.
    __aicore__ inline void OpenTile() {
        tile_ = nextTile_;
        nextTile_ = Following(tile_);
        list_.Find(tile_, next_.Get<float>()[tile_.col - experts_.begin]);
        if (nextTile_.row < tokens_.end) {
            list_.CopyIn(nextTile_);
        }
        WritePending();  // while V lists the elements
        list_.Wait();
        if (tiling_->hasProbs != 0) {
            probs_ = in_.template DeQue<T>();
        }
        if (movesTokens_ && tile_.col == experts_.begin) {
            rows_.Begin();
        }
        done_ = 0;
        isOpen_ = true;
    }

    /// Ends the tile and loads the data of the next one.
    __aicore__ inline void CloseTile() {
        if (tiling_->hasProbs != 0) {
            in_.FreeTensor(probs_);
        }
        if (movesTokens_ && tile_.col + tile_.cols == experts_.end) {
            rows_.End();
        }
        if (nextTile_.row < tokens_.end) {
            CopyInData(nextTile_);
        }
        isOpen_ = false;
    }

    /// Moves the listed elements [begin, begin + count).
    __aicore__ inline void Move(uint32_t begin, uint32_t count) {
        const AscendC::LocalTensor<float> floats = floats_;
        const AscendC::LocalTensor<int32_t> numbers = numbers_;
        AscendC::Cast(floats, list_.List()[begin], AscendC::RoundMode::CAST_NONE, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(numbers, floats, AscendC::RoundMode::CAST_RINT, count);
        AscendC::PipeBarrier<PIPE_V>();
        if (tiling_->hasProbs != 0) {
            Pick(numbers, count);
        }
        if (movesTokens_) {
            const AscendC::LocalTensor<int32_t> offsets = offsets_;
            AscendC::ShiftRight(offsets, numbers, static_cast<int32_t>(shift_),
                                static_cast<int32_t>(count));
            AscendC::PipeBarrier<PIPE_V>();
            rows_.Collect(offsets, count);
        }
        if (listsNumbers_) {
            List(numbers, static_cast<int32_t>(count));
        }
        WritePending();  // while V collects this piece
        isPending_ = true;
        col_ = tile_.col;
        begin_ = begin;
        end_ = begin + count;
        runs_ = list_.Runs();
    }

    __aicore__ inline void Pick(const AscendC::LocalTensor<int32_t>& numbers, uint32_t count) {
        const AscendC::LocalTensor<int32_t> offsets = floats_.ReinterpretCast<int32_t>();
        AscendC::Muls(offsets, numbers, static_cast<int32_t>(sizeof(T)),
                      static_cast<int32_t>(count));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::LocalTensor<T> picked = picked_.template AllocTensor<T>();
        AscendC::Gather(picked, probs_, offsets.ReinterpretCast<uint32_t>(), 0, count);
        picked_.EnQue(picked);
        AscendC::PipeBarrier<PIPE_V>();  // orders Spread() after the selection
    }

    /// Computes the numbers of the tokens.
    __aicore__ inline void List(const AscendC::LocalTensor<int32_t>& numbers, int32_t count) {
        AscendC::LocalTensor<int32_t> ids = ids_.AllocTensor<int32_t>();
        AscendC::ShiftRight(ids, numbers, static_cast<int32_t>(shift_), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(ids, ids, static_cast<int32_t>(tile_.row), count);
        ids_.EnQue(ids);
    }

    /// Writes the piece that V has collected before the current one. So the scalar unit and MTE3
    /// work on one piece while V works on the next.
    __aicore__ inline void WritePending() {
        if (!isPending_) {
            return;
        }
        isPending_ = false;
        AscendC::LocalTensor<T> picked;
        AscendC::LocalTensor<T> collected;
        AscendC::LocalTensor<int32_t> ids;
        if (tiling_->hasProbs != 0) {
            picked = picked_.template DeQue<T>();
        }
        if (listsNumbers_) {
            ids = ids_.DeQue<int32_t>();
        }
        if (movesTokens_) {
            collected = rows_.Take();
        }
        WriteRuns(picked, collected, ids);
        if (tiling_->hasProbs != 0) {
            picked_.FreeTensor(picked);
        }
        if (movesTokens_) {
            rows_.Free(collected);
        }
        if (listsNumbers_) {
            ids_.FreeTensor(ids);
        }
    }

    /// Writes the runs, or parts of them, that are in the pending piece of the list. The loop runs
    /// for each expert of each tile, so it uses only variables of this function.
    __aicore__ inline void WriteRuns(const AscendC::LocalTensor<T>& picked,
                                     const AscendC::LocalTensor<T>& collected,
                                     const AscendC::LocalTensor<int32_t>& ids) {
        const AscendC::LocalTensor<int32_t> runs = runs_;
        const uint32_t begin = begin_;
        const uint32_t end = end_;
        const uint32_t experts = tiling_->runCols;
        const int32_t limit = limit_;
        const bool listsNumbers = listsNumbers_;
        const int64_t probStride = tiling_->hasProbs != 0 ? tiling_->probStride : 0;
        const bool movesTokens = movesTokens_;
        AscendC::DataCopyExtParams rowParams = rows_.Params();
        AscendC::DataCopyExtParams probParams(1, 0, 0, 0, 0);
        AscendC::DataCopyExtParams idParams(1, 0, 0, 0, 0);
        uint32_t expert = begin == 0 ? 0 : expert_;
        uint32_t start = begin == 0 ? 0 : start_;
        const int64_t perExpert = perExpert_;
        int64_t base = (col_ + expert) * perExpert;  // where the expert's rows begin
        for (; expert < experts; ++expert, base += perExpert) {
            const uint32_t count = static_cast<uint32_t>(runs.GetValue(expert));
            if (count == 0) {
                continue;
            }
            const uint32_t from = start < begin ? begin : start;
            const uint32_t to = start + count < end ? start + count : end;
            const int32_t target =
                runs.GetValue(experts + expert) + static_cast<int32_t>(from - start);
            const int32_t room = limit - target;
            const int32_t found = static_cast<int32_t>(to - from);
            const int32_t written = found < room ? found : room;
            if (from < to && written > 0) {
                if (probStride == 1) {
                    probParams.blockLen = static_cast<uint32_t>(written) * sizeof(T);
                    AscendC::DataCopyPad(permutedGm_[base + target], picked[from - begin],
                                         probParams);
                } else if (probStride != 0) {
                    writer_->Write(permutedGm_[(base + target) * probStride], probStride,
                                   picked[from - begin], static_cast<uint32_t>(written));
                }
                if (listsNumbers) {
                    idParams.blockLen = static_cast<uint32_t>(written) * sizeof(int32_t);
                    AscendC::DataCopyPad(orderGm_[base + target], ids[from - begin], idParams);
                }
                if (movesTokens) {
                    rows_.Store(collected, from - begin, target, static_cast<uint32_t>(written),
                                &rowParams);
                }
            }
            if (start + count > end) {
                break;  // the next piece of the list has the rest of this run
            }
            start += RoundUpTo<kElemsPerBlock<T>>(count);
        }
        expert_ = expert;
        start_ = start;
    }

    const TilingData* tiling_;
    Range tokens_;
    Range experts_;
    Rect tile_;
    Rect nextTile_;
    bool isOpen_ = false;            ///< some elements of the tile's list are not processed yet
    uint32_t done_;                  ///< number of those that are
    AscendC::LocalTensor<T> probs_;  ///< of the tile
    int32_t limit_;                  ///< positions from this one on do not exist
    int64_t perExpert_ = 0;  ///< positions of one expert, if each expert has its own positions
    uint32_t shift_;         ///< binary logarithm of the number of experts of a tile
    uint32_t expert_;        ///< next expert whose run is written
    uint32_t start_;         ///< where its run starts in the list
    bool movesTokens_ = false;
    bool listsNumbers_ = false;
    bool isPending_ = false;              ///< V has collected a piece that is not written yet
    uint32_t begin_;                      ///< its begin in the list
    uint32_t end_;                        ///< its end in the list
    int64_t col_;                         ///< the first expert of its tile
    AscendC::LocalTensor<int32_t> runs_;  ///< the runs of its tile
    StridedWriter* writer_;
    RunList list_;
    RowTiles<T> rows_;
    ApartRows<T> probRows_;
    AscendC::GlobalTensor<T> probsGm_;
    AscendC::GlobalTensor<T> permutedGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
    AscendC::GlobalTensor<int32_t> orderGm_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> picked_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> ids_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> next_;  ///< next output position of each expert
    UbSlices slices_;
    AscendC::LocalTensor<float> floats_;
    AscendC::LocalTensor<int32_t> numbers_;
    AscendC::LocalTensor<int32_t> offsets_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EXPERT_RUNS_H
