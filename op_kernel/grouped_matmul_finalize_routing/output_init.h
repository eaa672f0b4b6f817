// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_OUTPUT_INIT_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_OUTPUT_INIT_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "event.h"
#include "flags.h"
#include "kernel_operator.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// Writes the initial values of y, to which the rows of the experts are added: the rows of
/// sharedInput times sharedWeight, and zeros elsewhere. Also writes the initial zeros of the
/// notices between blocks: nobody uses a notice before all cores have ended this phase.
class OutputInit {
public:
    __aicore__ inline void Init(GM_ADDR sharedInput, GM_ADDR y, GM_ADDR notices,
                                const TilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        shared_.SetGlobalBuffer((__gm__ bfloat16_t*)sharedInput, tiling->sharedRows * tiling->cols);
        y_.SetGlobalBuffer((__gm__ float*)y, tiling->tokens * tiling->cols);
        notice_.SetGlobalBuffer((__gm__ float*)(notices + AscendC::GetBlockIdx() * kNoticeBytes),
                                kNoticeElems);
        pipe->InitBuffer(in_, 2, kMostCols * sizeof(bfloat16_t));
        pipe->InitBuffer(out_, 2, kMostCols * sizeof(float));
        pipe->InitBuffer(zeros_, kMostCols * sizeof(float));
    }

    /// Writes this core's contiguous share of y. All cores have equal shares.
    __aicore__ inline void Process() {
        AscendC::Duplicate(zeros_.Get<float>(), 0.0f, static_cast<int32_t>(kMostCols));
        // `zeroed` needs an event id that queue out_ does not use: out_ may set its own V_MTE3 flag
        // before MTE3 has waited for the flag of `zeroed`.
        Event<AscendC::HardEvent::V_MTE3> zeroed;
        zeroed.Init();
        zeroed.Set();
        zeroed.Wait();
        AscendC::DataCopy(notice_, zeros_.Get<float>(), kNoticeElems);
        const int64_t perRow = CeilDiv(tiling_->cols, kMostCols);
        const int64_t cores = AscendC::GetBlockNum() * AscendC::GetTaskRation();
        const Range pieces = Shares(perRow * tiling_->tokens, cores).Of(AscendC::GetBlockIdx());
        for (int64_t piece = pieces.begin; piece < pieces.end; ++piece) {
            Write(piece / perRow, piece % perRow * kMostCols);
        }
        zeroed.Release();
        AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(kFlagOutput);
    }

private:
    static constexpr uint32_t kMostCols = 4096;
    static constexpr uint32_t kNoticeElems = kNoticeWordBytes / sizeof(float);

    __aicore__ inline void Write(int64_t row, int64_t col) {
        const auto cols = static_cast<uint32_t>(Min(tiling_->cols - col, kMostCols));
        const int64_t from = row - tiling_->sharedOffset;
        if (from < 0 || from >= tiling_->sharedRows) {
            AscendC::DataCopy(y_[row * tiling_->cols + col], zeros_.Get<float>(), cols);
            return;
        }
        AscendC::LocalTensor<bfloat16_t> in = in_.AllocTensor<bfloat16_t>();
        Load(in, shared_[from * tiling_->cols + col], cols);
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
    AscendC::GlobalTensor<float> notice_;  ///< words of this core's notice
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> zeros_;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_OUTPUT_INIT_H
