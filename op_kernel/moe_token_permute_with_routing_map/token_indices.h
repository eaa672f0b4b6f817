// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_INDICES_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_INDICES_H

#include "../common/strided_writer.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "kernel_operator.h"
#include "routed_tile.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Writes the sorted indices: for every token its k output rows, by ascending expert. If each token
/// of a tile has k experts, the indices are RoutedTile::Targets(). Otherwise the map is wrong, or
/// the tile has only some of the experts. Then the scalar unit fills the indices token by token. It
/// drops additional experts and writes -1 to empty slots.
class TokenIndices {
public:
    __aicore__ inline void Init(GM_ADDR indices, const TilingData* tiling, AscendC::TPipe* pipe,
                                StridedWriter* writer) {
        tiling_ = tiling;
        slots_ = static_cast<uint32_t>(tiling->slots);
        writer_ = writer;
        indicesGm_.SetGlobalBuffer((__gm__ int32_t*)indices);
        pipe->InitBuffer(slotsOfTile_, RoundUp(tiling->tileRows * slots_, 8) * sizeof(int32_t));
        pipe->InitBuffer(used_, RoundUp(tiling->tileRows, 8) * sizeof(int32_t));
    }

    __aicore__ inline void Place(const Rect& rect, RoutedTile* tile) {
        if (tile->IsRegular()) {
            Write(rect, tile->Targets());
            return;
        }
        if (rect.col == 0) {
            Clear(rect);
        }
        Fill(tile);
        if (rect.col + rect.cols == tiling_->experts) {
            Sync<AscendC::HardEvent::S_MTE3>();
            Sync<AscendC::HardEvent::S_V>();
            Write(rect, slotsOfTile_.Get<int32_t>());
            Sync<AscendC::HardEvent::MTE3_V>();
        }
    }

private:
    __aicore__ inline void Write(const Rect& rect, const AscendC::LocalTensor<int32_t>& indices) {
        writer_->Write(indicesGm_[rect.row * slots_ * tiling_->indexStride], tiling_->indexStride,
                       indices, rect.rows * slots_);
    }

    __aicore__ inline void Clear(const Rect& rect) {
        AscendC::Duplicate(slotsOfTile_.Get<int32_t>(), -1,
                           static_cast<int32_t>(rect.rows * slots_));
        AscendC::Duplicate(used_.Get<int32_t>(), 0, static_cast<int32_t>(rect.rows));
        Sync<AscendC::HardEvent::V_S>();
    }

    __aicore__ inline void Fill(RoutedTile* tile) {
        const AscendC::LocalTensor<int32_t> indices = slotsOfTile_.Get<int32_t>();
        const AscendC::LocalTensor<int32_t> used = used_.Get<int32_t>();
        const AscendC::LocalTensor<int16_t> rows = tile->RowsOfKept();
        for (uint32_t i = 0; i < tile->Kept(); ++i) {
            const uint32_t row = static_cast<uint32_t>(rows.GetValue(i));
            const int32_t slot = used.GetValue(row);
            const int32_t target = tile->Targets().GetValue(i);
            if (slot < static_cast<int32_t>(slots_) && target < tiling_->outRows) {
                indices.SetValue(row * slots_ + slot, target);
            }
            used.SetValue(row, slot + 1);
        }
    }

    const TilingData* tiling_;
    uint32_t slots_;
    StridedWriter* writer_;
    AscendC::GlobalTensor<int32_t> indicesGm_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> slotsOfTile_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> used_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_INDICES_H
