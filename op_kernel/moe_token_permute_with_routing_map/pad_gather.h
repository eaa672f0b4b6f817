// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PAD_GATHER_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PAD_GATHER_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../common/strided_writer.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "kernel_operator.h"
#include "token_rows.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// The last phase of pad mode: copies tokens to the rows of the output, row by row. Each block has
/// an equal share of the rows, however the tokens are distributed over the experts.
template <typename T>
class PadGather {
public:
    __aicore__ inline void Init(GM_ADDR tokens, GM_ADDR permuteTokens, GM_ADDR indices,
                                GM_ADDR order, const TilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        const int64_t block = AscendC::GetBlockIdx();
        share_ = Shares(tiling->outRows, tiling->rowParts).Of(block / tiling->colParts);
        const int64_t colPart = block % tiling->colParts;
        const int64_t begin = colPart * tiling->colsPerPart;
        writesIndices_ = colPart == 0;
        orderGm_.SetGlobalBuffer((__gm__ int32_t*)order, tiling->outRows);
        indicesGm_.SetGlobalBuffer((__gm__ int32_t*)indices);
        writer_.Init(kStageElems, kStageBuffers, pipe);
        rows_.Init(tokens, permuteTokens, tiling,
                   {begin, Min(begin + tiling->colsPerPart, tiling->hidden)}, pipe, &writer_);
        rows_.SetRowsInL2(share_.begin + share_.Size() * tiling->rowsInL2 / tiling->outRows);
        pipe->InitBuffer(order_, 2, kOrderRows * sizeof(int32_t));
    }

    __aicore__ inline void Process() {
        for (int64_t row = share_.begin; row < share_.end; row += kOrderRows) {
            const uint32_t rows = static_cast<uint32_t>(Min(kOrderRows, share_.end - row));
            AscendC::LocalTensor<int32_t> order = order_.template AllocTensor<int32_t>();
            Load(order, orderGm_[row], rows);
            order_.EnQue(order);
            order = order_.template DeQue<int32_t>();
            Sync<AscendC::HardEvent::MTE2_S>();  // also orders later reads by V after the copy
            if (writesIndices_) {
                writer_.Write(indicesGm_[row * tiling_->indexStride], tiling_->indexStride, order,
                              rows);
            }
            GatherRows(order, row, rows);
            order_.FreeTensor(order);
        }
    }

private:
    __aicore__ inline void GatherRows(const AscendC::LocalTensor<int32_t>& order, int64_t target,
                                      uint32_t count) {
        const Range& columns = rows_.Columns();
        const uint32_t step = static_cast<uint32_t>(rows_.RowStep());
        for (uint32_t row = 0; row < count; row += step) {
            const uint32_t rows = count - row < step ? count - row : step;
            for (int64_t col = columns.begin; col < columns.end; col += rows_.ColStep()) {
                const Range cols = {col, Min(col + rows_.ColStep(), columns.end)};
                AscendC::LocalTensor<T> buffer = rows_.Alloc();
                Read(buffer, order, row, rows, cols);
                buffer = rows_.Turn(buffer);
                rows_.StoreTokens(buffer, target + row, rows, cols);
                rows_.Free(buffer);
            }
        }
    }

    /// Loads the tokens order[first..first + rows): one copy per run of consecutive numbers.
    __aicore__ inline void Read(const AscendC::LocalTensor<T>& buffer,
                                const AscendC::LocalTensor<int32_t>& order, uint32_t first,
                                uint32_t rows, const Range& cols) {
        const RowLoads<T> loads = rows_.Loads(cols);
        int32_t token = order.GetValue(first);
        uint32_t begin = 0;
        for (uint32_t i = 1; i < rows; ++i) {
            const int32_t next = order.GetValue(first + i);
            const uint32_t run = i - begin;
            if (next != token + static_cast<int32_t>(run)) {
                loads.Load(buffer, begin, token, run);
                token = next;
                begin = i;
            }
        }
        loads.Load(buffer, begin, token, rows - begin);
    }

    const TilingData* tiling_;
    Range share_;
    bool writesIndices_;
    StridedWriter writer_;
    TokenRows<T> rows_;
    AscendC::GlobalTensor<int32_t> orderGm_;
    AscendC::GlobalTensor<int32_t> indicesGm_;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> order_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PAD_GATHER_H
