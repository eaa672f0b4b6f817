// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_PLACEMENT_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_PLACEMENT_H

#include "../common/shares.h"
#include "../common/strided_writer.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "expert_runs.h"
#include "kernel_operator.h"
#include "pointers.h"
#include "routed_tile.h"
#include "token_indices.h"
#include "token_probs.h"
#include "token_rows.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Copies the tokens of a range to their rows of the output (non-pad mode). A token is loaded into
/// UB once and copied out once per output row. Also writes the indices, and the probs unless other
/// code does so.
template <typename T>
class TokenPlacement {
public:
    /// `mode` tells what this object writes beside the indices.
    __aicore__ inline void Init(const Pointers& gm, const TilingData* tiling, const Range& tokens,
                                int64_t colPart, FirstPositions* firsts, AscendC::TPipe* pipe) {
        gm_ = gm;
        pipe_ = pipe;
        tiling_ = tiling;
        tokens_ = tokens;
        firsts_ = firsts;
        // If blocks share a range, the first block does the work that is not split by columns.
        writesIndices_ = colPart == 0;
        writesProbs_ = writesIndices_ && tiling->hasProbs != 0;
        const int64_t begin = colPart * tiling->colsPerPart;
        writer_.Init(kStageElems, kStageBuffers, pipe);
        if (tiling->rowBlocks == 0) {
            rows_.Init(gm.tokens, gm.permuteTokens, tiling,
                       {begin, Min(begin + tiling->colsPerPart, tiling->hidden)}, pipe, &writer_);
        }
        indices_.Init(gm.indices, tiling, pipe, &writer_);
        tile_.Init(gm.map, tiling, firsts, pipe);
        if (HasProbRuns()) {
            runs_.InitPositions(tiling, pipe);
        } else if (HasEachProb()) {
            probs_.Init(gm.probs, gm.permuteProbs, tiling, pipe, &writer_);
        }
        LoadFirst();
    }

    /// Places all tokens. The positions are known now.
    __aicore__ inline void Process() {
        AscendC::ICachePreLoad(kPreloadUnits);
        const bool movesRows = tiling_->rowBlocks == 0;
        const bool eachProb = HasEachProb();
        moreProbs_ = HasProbRuns();
        Rect next = RectAt(tokens_.begin, 0);
        if (moreProbs_) {
            runs_.Start(firsts_);
        }
        while (next.row < tokens_.end) {
            const Rect rect = next;
            next = Following(rect);
            if (eachProb) {
                probs_.CopyIn(rect);
            }
            tile_.Locate(rect, next);
            if (eachProb) {
                probs_.Place(rect, &tile_);
            }
            if (moreProbs_ && !isRunning_) {
                AscendC::ICachePreLoad(kPreloadUnits);  // of PlaceProbs()
            }
            if (movesRows) {
                PlaceRows(rect, next);
            }
            if (writesIndices_) {
                indices_.Place(rect, &tile_);
            }
            tile_.Release();
        }
        while (moreProbs_) {
            PlaceProbs();
        }
    }

private:
    __aicore__ inline bool HasProbRuns() const {
        return writesProbs_ && tiling_->rowBlocks == 0 && tiling_->runCols != 0;
    }
    __aicore__ inline bool HasEachProb() const {
        return writesProbs_ && tiling_->rowBlocks == 0 && tiling_->runCols == 0;
    }

    /// Loads the first tiles and rows, which needs no positions.
    __aicore__ inline void LoadFirst() {
        const Rect rect = RectAt(tokens_.begin, 0);
        if (rect.row >= tokens_.end) {
            return;
        }
        tile_.CopyIn(rect);
        if (tiling_->rowBlocks == 0) {
            LoadAhead(rect);
        }
    }

    /// Loads the first rows of a tile, unless some other tile has the same tokens.
    __aicore__ inline void LoadAhead(const Rect& rect) {
        if (rect.row < tokens_.end && rect.cols == tiling_->experts) {
            const Range& columns = rows_.Columns();
            LoadRows(rect.row, static_cast<uint32_t>(Min(rows_.RowStep(), rect.rows)),
                     {columns.begin, Min(columns.begin + rows_.ColStep(), columns.end)});
        }
    }

    __aicore__ inline void LoadRows(int64_t token, uint32_t rows, const Range& cols) {
        loaded_ = rows_.Alloc();
        rows_.Loads(cols).Load(loaded_, 0, token, rows);
        isLoaded_ = true;
    }

    /// Writes the probs of some tokens while MTE3 copies rows out. Begins only after the first rows
    /// are on their way, because its code has to be loaded.
    __aicore__ inline void PlaceProbs() {
        if (!isRunning_) {
            isRunning_ = true;
            runs_.Init(gm_.map, gm_.probs, gm_.permuteProbs, tiling_, tokens_, pipe_, &writer_);
            runs_.LoadFirst();
        }
        moreProbs_ = runs_.ProcessNext();
    }

    /// Returns the tile of these tokens and experts. It has no rows if there are no more tokens.
    __aicore__ inline Rect RectAt(int64_t row, int64_t col) const {
        return {row, col, static_cast<uint32_t>(Min(tiling_->tileRows, tokens_.end - row)),
                static_cast<uint32_t>(Min(tiling_->tileCols, tiling_->experts - col))};
    }

    /// Returns the tile after `rect`: first the next experts, then the next tokens.
    __aicore__ inline Rect Following(const Rect& rect) const {
        const int64_t col = rect.col + tiling_->tileCols;
        return col < tiling_->experts ? RectAt(rect.row, col) : RectAt(rect.row + rect.rows, 0);
    }

    /// Places the rows of a tile. Loads the first rows of the tile `following` ahead.
    __aicore__ inline void PlaceRows(const Rect& rect, const Rect& following) {
        const Range& columns = rows_.Columns();
        const bool regular = tile_.IsRegular();
        const bool touches = regular && rect.row == tokens_.begin;
        const uint32_t slots = static_cast<uint32_t>(tiling_->slots);
        uint32_t next = 0;
        for (uint32_t row = 0; row < rect.rows; row += rows_.RowStep()) {
            const uint32_t rows = static_cast<uint32_t>(Min(rows_.RowStep(), rect.rows - row));
            const uint32_t first = next;
            if (!regular && !isLoaded_ && EndOfRow(row + rows - 1, first, first + 1) == first) {
                continue;  // this chunk of experts gets none of these tokens
            }
            // If there is more than one column step, `rows` is 1. All steps have the same targets.
            for (int64_t col = columns.begin; col < columns.end; col += rows_.ColStep()) {
                const Range cols = {col, Min(col + rows_.ColStep(), columns.end)};
                if (!isLoaded_) {
                    LoadRows(rect.row + row, rows, cols);
                }
                isLoaded_ = false;
                AscendC::LocalTensor<T> buffer = rows_.Turn(loaded_);
                if (touches && row > 0 && col == columns.begin) {
                    TouchAfter(first + rows * slots);
                }
                next = first;
                for (uint32_t i = 0; i < rows; ++i) {
                    const uint32_t end =
                        regular ? next + slots : EndOfRow(row + i, next, tile_.Kept());
                    rows_.Scatter(buffer, i, cols, tile_.Targets(), next, end);
                    next = end;
                }
                rows_.Free(buffer);
                if (touches && row == 0 && col == columns.begin) {
                    TouchAfter(next);
                }
                if (moreProbs_ && rect.row > tokens_.begin) {
                    PlaceProbs();
                }
            }
        }
        LoadAhead(following);
    }

    /// Touches the output rows of the tokens that the next buffer will have, from target `first`
    /// on.
    __aicore__ inline void TouchAfter(uint32_t first) {
        if (!rows_.Touches()) {
            return;
        }
        const uint32_t slots = static_cast<uint32_t>(tiling_->slots);
        rows_.Touch(tile_.Targets(), first,
                    static_cast<uint32_t>(Min(tile_.Kept(), first + rows_.RowStep() * slots)));
    }

    /// Returns the first index from `next` on whose routed element is in a row after `row`, or
    /// `end`. Each index costs a scalar read; not called if all rows have k routed elements.
    __aicore__ inline uint32_t EndOfRow(uint32_t row, uint32_t next, uint32_t end) {
        const AscendC::LocalTensor<int16_t> rows = tile_.RowsOfKept();
        const int16_t last = static_cast<int16_t>(row);
        while (next < end && next < tile_.Kept() && rows.GetValue(next) <= last) {
            ++next;
        }
        return next;
    }

    Pointers gm_;
    AscendC::TPipe* pipe_;
    const TilingData* tiling_;
    Range tokens_;
    bool writesIndices_;
    bool writesProbs_;
    bool isLoaded_ = false;           ///< the next rows are already loaded
    AscendC::LocalTensor<T> loaded_;  ///< these rows
    bool isRunning_ = false;          ///< runs_ is initialised
    bool moreProbs_ = false;          ///< runs_ has more to do
    FirstPositions* firsts_;
    StridedWriter writer_;
    TokenRows<T> rows_;
    TokenProbs<T> probs_;
    ExpertRuns<T> runs_;
    TokenIndices indices_;
    RoutedTile tile_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_PLACEMENT_H
