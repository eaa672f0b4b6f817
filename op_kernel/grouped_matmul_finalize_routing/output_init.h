// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_OUTPUT_INIT_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_OUTPUT_INIT_H

#include "work.h"

namespace GroupedMatmulFinalizeRoutingOp {

/// What the rows of the experts are added to: the shared expert's rows times their factor, zero
/// elsewhere.
class OutputInit {
public:
    __aicore__ inline void Init(GM_ADDR sharedInput, GM_ADDR y, const TilingData* tiling,
                                AscendC::TPipe* pipe) {
        tiling_ = tiling;
        shared_.SetGlobalBuffer((__gm__ bfloat16_t*)sharedInput, tiling->sharedRows * tiling->cols);
        y_.SetGlobalBuffer((__gm__ float*)y, tiling->tokens * tiling->cols);
        pipe->InitBuffer(in_, 2, MOST_COLS * sizeof(bfloat16_t));
        pipe->InitBuffer(out_, 2, MOST_COLS * sizeof(float));
        pipe->InitBuffer(zeros_, MOST_COLS * sizeof(float));
    }

    /// Equal, contiguous shares of all pieces of rows.
    __aicore__ inline void Process() {
        AscendC::Duplicate(zeros_.Get<float>(), 0.0f, static_cast<int32_t>(MOST_COLS));
        // An id of its own: the queue's are set again before MTE3 has waited for this one.
        const auto zeroed =
            static_cast<int32_t>(GetTPipePtr()->AllocEventID<AscendC::HardEvent::V_MTE3>());
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(zeroed);
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(zeroed);
        const int64_t perRow = CeilDiv<int64_t>(tiling_->cols, MOST_COLS);
        const int64_t pieces = perRow * tiling_->tokens;
        const int64_t cores = AscendC::GetBlockNum() * AscendC::GetTaskRation();
        const int64_t core = AscendC::GetBlockIdx();
        for (int64_t piece = pieces * core / cores; piece < pieces * (core + 1) / cores; ++piece) {
            Write(piece / perRow, piece % perRow * MOST_COLS);
        }
        GetTPipePtr()->ReleaseEventID<AscendC::HardEvent::V_MTE3>(zeroed);
        AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(FLAG_OUTPUT);
    }

private:
    static constexpr uint32_t MOST_COLS = 4096;

    __aicore__ inline void Write(int64_t row, int64_t col) {
        const auto cols = static_cast<uint32_t>(Min<int64_t>(tiling_->cols - col, MOST_COLS));
        const int64_t from = row - tiling_->sharedOffset;
        if (from < 0 || from >= tiling_->sharedRows) {
            AscendC::DataCopy(y_[row * tiling_->cols + col], zeros_.Get<float>(), cols);
            return;
        }
        AscendC::LocalTensor<bfloat16_t> in = in_.AllocTensor<bfloat16_t>();
        const AscendC::DataCopyExtParams run(1, cols * sizeof(bfloat16_t), 0, 0, 0);
        const AscendC::DataCopyPadExtParams<bfloat16_t> noPadding(false, 0, 0, bfloat16_t());
        AscendC::DataCopyPad(in, shared_[from * tiling_->cols + col], run, noPadding);
        in_.EnQue(in);
        in = in_.DeQue<bfloat16_t>();
        AscendC::LocalTensor<float> out = out_.AllocTensor<float>();
        AscendC::Cast(out, in, AscendC::RoundMode::CAST_NONE, cols);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(out, out, tiling_->sharedWeight, static_cast<int32_t>(cols));
        in_.FreeTensor(in);
        out_.EnQue(out);
        out = out_.DeQue<float>();
        AscendC::DataCopy(y_[row * tiling_->cols + col], out, cols);
        out_.FreeTensor(out);
    }

    const TilingData* tiling_ = nullptr;
    AscendC::GlobalTensor<bfloat16_t> shared_;
    AscendC::GlobalTensor<float> y_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> zeros_;
};

}  // namespace GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_OUTPUT_INIT_H
