// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_PAD_GATHER_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_PAD_GATHER_H

#include "token_rows.h"

namespace MoeTokenPermute {

/// Last phase with padding: the rows of the output in their order, an equal share per block however
/// the tokens are spread over the experts.
template <typename T>
class PadGather {
public:
    __aicore__ inline void Init(GM_ADDR tokens, GM_ADDR permuteTokens, GM_ADDR indices,
                                GM_ADDR order, const TilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        const int64_t block = AscendC::GetBlockIdx();
        share_ = ShareOf(tiling->outRows, tiling->rowParts, block / tiling->colParts);
        const int64_t colPart = block % tiling->colParts;
        const int64_t begin = colPart * tiling->colsPerPart;
        writesIndices_ = colPart == 0;
        orderGm_.SetGlobalBuffer((__gm__ int32_t*)order, tiling->outRows);
        indicesGm_.SetGlobalBuffer((__gm__ int32_t*)indices);
        writer_.Init(pipe);
        rows_.Init(tokens, permuteTokens, tiling,
                   {begin, Smaller(begin + tiling->colsPerPart, tiling->hidden)}, pipe, &writer_);
        pipe->InitBuffer(order_, 2, MOE_TOKEN_PERMUTE_ORDER * sizeof(int32_t));
    }

    __aicore__ inline void Process() {
        for (int64_t row = share_.begin; row < share_.end; row += MOE_TOKEN_PERMUTE_ORDER) {
            const uint32_t rows =
                static_cast<uint32_t>(Smaller(MOE_TOKEN_PERMUTE_ORDER, share_.end - row));
            AscendC::LocalTensor<int32_t> order = order_.template AllocTensor<int32_t>();
            AscendC::DataCopyPad(order, orderGm_[row], Runs(1, rows * sizeof(int32_t), 0, true),
                                 AscendC::DataCopyPadExtParams<int32_t>(false, 0, 0, 0));
            order_.EnQue(order);
            order = order_.template DeQue<int32_t>();
            Sync<AscendC::HardEvent::MTE2_S>();
            if (writesIndices_) {
                Sync<AscendC::HardEvent::MTE2_V>();
                writer_.Write(indicesGm_, row * tiling_->indexStride, tiling_->indexStride, order,
                              rows);
                Sync<AscendC::HardEvent::V_MTE2>();
            }
            GatherRows(order, row, rows);
            Sync<AscendC::HardEvent::S_MTE2>();
            order_.FreeTensor(order);
        }
    }

private:
    __aicore__ inline void GatherRows(const AscendC::LocalTensor<int32_t>& order, int64_t target,
                                      uint32_t count) {
        const Range& columns = rows_.Columns();
        for (uint32_t row = 0; row < count; row += rows_.RowStep()) {
            const uint32_t rows = static_cast<uint32_t>(Smaller(rows_.RowStep(), count - row));
            for (int64_t col = columns.begin; col < columns.end; col += rows_.ColStep()) {
                const Range cols = {col, Smaller(col + rows_.ColStep(), columns.end)};
                AscendC::LocalTensor<T> buffer = rows_.Alloc();
                Read(buffer, order, row, rows, cols);
                buffer = rows_.Turn(buffer);
                rows_.Store(buffer, target + row, rows, cols);
                rows_.Free(buffer);
            }
        }
    }

    /// Tokens that follow each other come with one copy.
    __aicore__ inline void Read(const AscendC::LocalTensor<T>& buffer,
                                const AscendC::LocalTensor<int32_t>& order, uint32_t first,
                                uint32_t rows, const Range& cols) {
        for (uint32_t done = 0; done < rows;) {
            const int32_t token = order.GetValue(first + done);
            uint32_t run = 1;
            while (done + run < rows &&
                   order.GetValue(first + done + run) == token + static_cast<int32_t>(run)) {
                ++run;
            }
            rows_.Read(buffer, done, token, run, cols);
            done += run;
        }
    }

    const TilingData* tiling_;
    Range share_;
    bool writesIndices_;
    ElemWriter writer_;
    TokenRows<T> rows_;
    AscendC::GlobalTensor<int32_t> orderGm_;
    AscendC::GlobalTensor<int32_t> indicesGm_;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> order_;
};

}  // namespace MoeTokenPermute

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_PAD_GATHER_H
