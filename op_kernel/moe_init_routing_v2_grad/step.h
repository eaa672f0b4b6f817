// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_STEP_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_STEP_H

#include "../common/copy.h"
#include "../moe_init_routing_v2_grad_tiling.h"
#include "kernel_operator.h"

namespace ops::MoeInitRoutingV2GradOp {

/// Largest number of rows that a step adds without zeros in the places of the other rows, and the
/// value of Step::present for more rows.
constexpr uint32_t kFewRows = 2;
constexpr uint32_t kManyRows = UINT32_MAX;

/// A step: some of the slots of one tile's tokens.
struct Step {
    int64_t token;
    int64_t col;
    int64_t slot;
    uint32_t tokens;
    uint32_t cols;
    uint32_t slots;
    uint32_t pitch;      ///< elements from row to row in UB: cols rounded up to 32 B
    uint32_t slotPitch;  ///< elements from place to place in UB
    bool last;           ///< last step of its tile
    uint32_t present;    ///< number of rows that exist, if at most kFewRows; else kManyRows

    __aicore__ inline bool IsFirst() const { return slot == 0; }
    __aicore__ inline uint32_t Elems() const { return tokens * pitch; }
};

/// The steps of a launch, tile by tile.
template <typename T>
class Steps {
public:
    __aicore__ inline Steps() {}
    __aicore__ inline explicit Steps(const MoeInitRoutingV2GradTilingData* tiling)
        : tiling_(tiling) {}

    /// Returns the first step of a tile.
    __aicore__ inline Step At(int64_t tile) const {
        Step step;
        step.slot = 0;
        step.token = tile / tiling_->colTiles * tiling_->tokensPerTile;
        step.col = tile % tiling_->colTiles * tiling_->colsPerTile;
        step.present = kManyRows;
        SetSizes(&step);
        return step;
    }

    __aicore__ inline Step After(const Step& step) const {
        Step next = step;
        next.slot += step.slots;
        if (step.last) {
            next.slot = 0;
            next.col += tiling_->colsPerTile;
            if (next.col >= tiling_->cols) {
                next.col = 0;
                next.token += tiling_->tokensPerTile;
            }
        }
        SetSizes(&next);
        return next;
    }

    /// Returns the end of the indices of the tiles before tile `end`.
    __aicore__ inline int64_t IndexEnd(int64_t end) const {
        const int64_t tokens = At(end - 1).token + tiling_->tokensPerTile;
        return Min(tokens, tiling_->tokens) * tiling_->slots;
    }

private:
    __aicore__ inline void SetSizes(Step* result) const {
        Step step = *result;
        const uint32_t unit = tiling_->rowUnit;  // a power of two
        step.tokens =
            static_cast<uint32_t>(Min(tiling_->tokens - step.token, tiling_->tokensPerTile));
        step.cols = static_cast<uint32_t>(Min(tiling_->cols - step.col, tiling_->colsPerTile));
        step.slots = static_cast<uint32_t>(Min(tiling_->slots - step.slot, tiling_->slotsPerStep));
        step.pitch = RoundUp(step.cols, kElemsPerBlock<T>);
        step.slotPitch = (step.Elems() + unit - 1) & ~(unit - 1);
        step.last = step.slot + step.slots == tiling_->slots;
        *result = step;
    }

    const MoeInitRoutingV2GradTilingData* tiling_ = nullptr;
};

}  // namespace ops::MoeInitRoutingV2GradOp

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_STEP_H
