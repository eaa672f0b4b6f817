// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_COPY_KERNEL_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_COPY_KERNEL_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../common/sync.h"
#include "../moe_init_routing_v2_grad_tiling.h"
#include "index_window.h"
#include "kernel_operator.h"
#include "row_loader.h"

namespace ops::MoeInitRoutingV2GradOp {

/// Copies, for each token, the gradient of its only slot. MTE3 stores what MTE2 has loaded, so the
/// bits do not change. V only writes the zeros of tokens whose slot is skipped.
template <typename T>
class CopyKernel {
public:
    __aicore__ inline CopyKernel() {}

    __aicore__ inline void Init(GM_ADDR gradExpandedX, GM_ADDR expandedRowIdx, GM_ADDR gradX,
                                const MoeInitRoutingV2GradTilingData* tiling,
                                AscendC::TPipe* pipe) {
        tiling_ = *tiling;
        gradGm_.SetGlobalBuffer((__gm__ T*)gradExpandedX, tiling_.rows * tiling_.cols);
        gradXGm_.SetGlobalBuffer((__gm__ T*)gradX, tiling_.tokens * tiling_.cols);
        gradXPastL2_ = gradXGm_;
        gradXPastL2_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
        if (tiling_.readsPastL2 != 0) {
            gradGm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
        }
        const uint32_t indexBytes = tiling_.indexElems * sizeof(int32_t);
        pipe->InitBuffer(buffer_, indexBytes + kCopyBuffers * tiling_.tileElems * sizeof(T));
        index_.Init(expandedRowIdx, tiling_.tokens, buffer_.Get<int32_t>(), tiling_.indexElems);
        rows_ = buffer_.Get<T>()[indexBytes / sizeof(T)];
        form_ = RowForm::Of<T>(tiling_.rows, tiling_.cols);
    }

    __aicore__ inline void Process() {
        const Range tiles = ShareOfBlock(tiling_.tiles);
        const int64_t count = tiles.Size();
        int64_t token = tiles.begin / tiling_.colTiles * tiling_.tokensPerTile;
        int64_t col = tiles.begin % tiling_.colTiles * tiling_.colsPerTile;
        const int64_t last = CeilDiv(tiles.end, tiling_.colTiles) * tiling_.tokensPerTile;
        indexEnd_ = Min(last, tiling_.tokens);
        for (int64_t index = 0; index < count; ++index) {
            const uint32_t buffer = static_cast<uint32_t>(index) % kCopyBuffers;
            CopyTile(token, col, buffer, index);
            if (index + kCopyBuffers < count) {
                AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(static_cast<event_t>(buffer));
            }
            col += tiling_.colsPerTile;
            if (col >= tiling_.cols) {
                col = 0;
                token += tiling_.tokensPerTile;
            }
        }
    }

private:
    __aicore__ inline void CopyTile(int64_t token, int64_t col, uint32_t buffer, int64_t index) {
        const uint32_t tokens =
            static_cast<uint32_t>(Min(tiling_.tokens - token, tiling_.tokensPerTile));
        const uint32_t cols = static_cast<uint32_t>(Min(tiling_.cols - col, tiling_.colsPerTile));
        const AscendC::LocalTensor<T> rows = rows_[buffer * tiling_.tileElems];
        const event_t event = static_cast<event_t>(buffer);
        const uint32_t place = index_.Require(token, token + tokens, indexEnd_);
        if (index >= kCopyBuffers) {
            AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(event);
        }
        const bool complete = LoadTokens(rows, place, tokens, cols, col);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE3>(event);
        if (!complete) {
            FillMissing(rows, place, tokens, cols);
        }
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(event);
        const AscendC::GlobalTensor<T>& gm =
            index < tiling_.tilesThroughL2 ? gradXGm_ : gradXPastL2_;
        StoreRows(gm[token * tiling_.cols + col], rows, Rows(tokens, cols, tiling_.cols));
    }

    /// Loads the rows that exist. Returns false if some do not. One copy loads the rows of two
    /// tokens if the second row is further in GM.
    __aicore__ inline bool LoadTokens(const AscendC::LocalTensor<T>& rows, uint32_t place,
                                      uint32_t tokens, uint32_t cols, int64_t col) {
        const AscendC::GlobalTensor<T> gm = gradGm_[col];
        const RowForm form = RowForm::Part<T>(form_, cols);
        const AscendC::DataCopyPadExtParams<T> padding = NoPadding<T>();
        const Indices indices = index_.Local();
        const uint32_t pairs = place % 2 == 0 ? tokens / 2 : 0;
        bool complete = true;
        uint32_t offset = 0;
        uint32_t at = place;
        for (uint32_t pair = 0; pair < pairs; ++pair) {
            const IndexPair row = indices.PairAt(at);
            // If the second row is not further in GM, `further` wraps to a number above `second`.
            const uint32_t further = row.second - row.first - form.distance;
            if (row.first < row.second && row.second < form.pairRows && further < row.second) {
                AscendC::DataCopyPad(
                    rows[offset], gm[static_cast<uint64_t>(row.first) * form.pitch],
                    AscendC::DataCopyExtParams(2, form.bytes,
                                               further * form.pitchBytes + form.leastGap, 0, 0),
                    padding);
            } else {
                complete &= LoadRow<false>(form, gm, rows[offset + form.elems], row.second);
                complete &= LoadRow<false>(form, gm, rows[offset], row.first);
            }
            offset += 2 * form.elems;
            at += 2;
        }
        for (; at < place + tokens; ++at) {
            complete &= LoadRow<false>(form, gm, rows[offset], indices.At(at));
            offset += form.elems;
        }
        return complete;
    }

    /// Writes zeros to the rows that do not exist, after MTE3 has read the buffer's earlier rows.
    __aicore__ inline void FillMissing(const AscendC::LocalTensor<T> rows, uint32_t place,
                                       uint32_t tokens, uint32_t cols) {
        const Indices indices = index_.Local();
        const uint32_t count = form_.rows;
        const uint32_t pitch = RoundUp(cols, kElemsPerBlock<T>);
        Sync<AscendC::HardEvent::MTE3_V>();
        uint32_t begin = 0;  // the rows from `begin` to before `token` do not exist
        for (uint32_t token = 0; token <= tokens; ++token) {
            if (token < tokens && indices.At(place + token) >= count) {
                continue;
            }
            if (begin < token) {
                AscendC::Duplicate(rows[begin * pitch], T(0.0f),
                                   static_cast<int32_t>((token - begin) * pitch));
            }
            begin = token + 1;
        }
        Sync<AscendC::HardEvent::V_MTE3>();
    }

    MoeInitRoutingV2GradTilingData tiling_;
    int64_t indexEnd_ = 0;  ///< end of this block's part of the index array
    AscendC::GlobalTensor<T> gradGm_;
    AscendC::GlobalTensor<T> gradXGm_;
    AscendC::GlobalTensor<T> gradXPastL2_;  ///< the same tensor
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
    AscendC::LocalTensor<T> rows_;  ///< the rows of each buffer
    RowForm form_;
    IndexWindow index_;
};

}  // namespace ops::MoeInitRoutingV2GradOp

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_COPY_KERNEL_H
