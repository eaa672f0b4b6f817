// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_PLACEMENT_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_PLACEMENT_H

#include "../common/shares.h"
#include "../common/strided_writer.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "kernel_operator.h"
#include "routed_probs.h"
#include "token_indices.h"
#include "token_rows.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// The last phase of non-pad mode: copies the tokens of a range to their rows of the output. A
/// token is loaded into UB once and copied out once per output row.
template <typename T>
class TokenPlacement {
public:
    __aicore__ inline void Init(GM_ADDR tokens, GM_ADDR map, GM_ADDR probs, GM_ADDR permuteTokens,
                                GM_ADDR permuteProbs, GM_ADDR indices, GM_ADDR workspace,
                                const TilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        const int64_t block = AscendC::GetBlockIdx();
        const int64_t part = block / tiling->colParts;
        const int64_t colPart = block % tiling->colParts;
        tokens_ = Shares(tiling->tokens, tiling->rowParts).Of(part);
        // If blocks share a range, the first block does the work that is not split by columns.
        writesIndices_ = colPart == 0;
        writesProbs_ = writesIndices_ && tiling->hasProbs != 0;
        const int64_t begin = colPart * tiling->colsPerPart;
        writer_.Init(kStageElems, kStageBuffers, pipe);
        rows_.Init(tokens, permuteTokens, tiling,
                   {begin, Min(begin + tiling->colsPerPart, tiling->hidden)}, pipe, &writer_);
        indices_.Init(indices, tiling, pipe, &writer_);
        if (writesProbs_) {
            probs_.Init(map, probs, permuteProbs, tiling, tokens_, pipe, &writer_);
        }
        tile_.Init(map, workspace, tiling, part, pipe);
        if (writesProbs_) {
            probs_.Start(&tile_);
        }
    }

    __aicore__ inline void Process() {
        const int64_t chunks = CeilDiv(tiling_->experts, tiling_->tileCols);
        const int64_t tiles = CeilDiv(tokens_.Size(), tiling_->tileRows) * chunks;
        Rect next = RectAt(0, chunks);
        if (tiles > 0) {
            tile_.CopyIn(next);
        }
        for (int64_t index = 0; index < tiles; ++index) {
            const Rect rect = next;
            next = RectAt(index + 1, chunks);
            tile_.Locate(rect);
            if (writesIndices_) {
                indices_.Place(rect, &tile_);
            }
            // MTE2 loads the next tile while the token rows of this one are moved.
            if (index + 1 < tiles) {
                tile_.CopyIn(next);
            }
            PlaceRows(rect);
            tile_.Release();
            // V selects probs while MTE3 copies the rows out.
            if (writesProbs_) {
                probs_.ProcessNext();
            }
        }
        while (writesProbs_ && probs_.ProcessNext()) {
        }
    }

    /// Writes zeros to the output rows that the map does not fill. All blocks divide these rows.
    __aicore__ inline void FillRest() {
        const int64_t filled = tile_.FilledRows();
        const Range rest = Shares(tiling_->outRows - filled, tiling_->rowParts)
                               .Of(AscendC::GetBlockIdx() / tiling_->colParts);
        if (rest.Size() == 0) {
            return;
        }
        AscendC::LocalTensor<T> zeros = rows_.Alloc();
        AscendC::Duplicate(zeros, static_cast<T>(0),
                           static_cast<int32_t>(tiling_->rowBytes / sizeof(T)));
        AscendC::PipeBarrier<PIPE_V>();
        zeros = rows_.Turn(zeros);
        Sync<AscendC::HardEvent::V_MTE3>();
        const Range& columns = rows_.Columns();
        for (int64_t row = filled + rest.begin; row < filled + rest.end; ++row) {
            for (int64_t col = columns.begin; col < columns.end; col += rows_.ColStep()) {
                rows_.StoreTokens(zeros, row, 1, {col, Min(col + rows_.ColStep(), columns.end)});
            }
            if (writesProbs_) {
                Store(probs_.Permuted()[row * tiling_->probStride], zeros, 1);
            }
        }
        rows_.Free(zeros);
    }

private:
    __aicore__ inline Rect RectAt(int64_t index, int64_t chunks) const {
        const int64_t row = tokens_.begin + index / chunks * tiling_->tileRows;
        const int64_t col = index % chunks * tiling_->tileCols;
        return {row, col, static_cast<uint32_t>(Min(tiling_->tileRows, tokens_.end - row)),
                static_cast<uint32_t>(Min(tiling_->tileCols, tiling_->experts - col))};
    }

    __aicore__ inline void PlaceRows(const Rect& rect) {
        const Range& columns = rows_.Columns();
        const bool regular = tile_.IsRegular();
        const uint32_t slots = static_cast<uint32_t>(tiling_->slots);
        uint32_t next = 0;
        for (uint32_t row = 0; row < rect.rows; row += rows_.RowStep()) {
            const uint32_t rows = static_cast<uint32_t>(Min(rows_.RowStep(), rect.rows - row));
            const uint32_t first = next;
            if (!regular && EndOfRow(row + rows - 1, rect.Pitch(), first, first + 1) == first) {
                continue;  // this chunk of experts gets none of these tokens
            }
            // If there is more than one column step, `rows` is 1. All steps have the same targets.
            for (int64_t col = columns.begin; col < columns.end; col += rows_.ColStep()) {
                const Range cols = {col, Min(col + rows_.ColStep(), columns.end)};
                AscendC::LocalTensor<T> buffer = rows_.Alloc();
                rows_.Read(buffer, 0, rect.row + row, rows, cols);
                buffer = rows_.Turn(buffer);
                next = first;
                for (uint32_t i = 0; i < rows; ++i) {
                    const uint32_t end = regular
                                             ? next + slots
                                             : EndOfRow(row + i, rect.Pitch(), next, tile_.Kept());
                    rows_.Scatter(buffer, i, cols, tile_.Targets(), next, end);
                    next = end;
                }
                rows_.Free(buffer);
            }
        }
    }

    /// Returns the first index from `next` on whose routed element is in a row after `row`, or
    /// `end`. Each index costs a scalar read; not called if all rows have k routed elements.
    __aicore__ inline uint32_t EndOfRow(uint32_t row, uint32_t pitch, uint32_t next, uint32_t end) {
        const AscendC::LocalTensor<uint16_t> numbers = tile_.Numbers();
        const uint32_t limit = (row + 1) * pitch;
        while (next < end && next < tile_.Kept() && numbers.GetValue(next) < limit) {
            ++next;
        }
        return next;
    }

    const TilingData* tiling_;
    Range tokens_;
    bool writesIndices_;
    bool writesProbs_;
    StridedWriter writer_;
    TokenRows<T> rows_;
    RoutedProbs<T> probs_;
    TokenIndices indices_;
    RoutedTile tile_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_PLACEMENT_H
