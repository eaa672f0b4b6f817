// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_DIGIT_SPLIT_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_DIGIT_SPLIT_H

#include "../common/copy.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "flags.h"
#include "kernel_operator.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// Splits x into two signed 4-bit digits, x = 16 * hi + lo + 8. Row r of x becomes two rows of
/// k / 2 bytes, the high digits before the low ones.
class DigitSplit {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR digits, int64_t rows, const TilingData* tiling,
                                AscendC::TPipe* pipe) {
        tiling_ = tiling;
        rows_ = rows;
        const auto count = static_cast<uint64_t>(tiling->rows);
        pitch_ = DigitPitch(tiling->k);
        x_.SetGlobalBuffer((__gm__ int8_t*)x, count * tiling->k);
        digits_.SetGlobalBuffer((__gm__ int8_t*)digits, count * 2 * pitch_);
        const uint32_t tile = tiling->splitRows * tiling->k;
        pipe->InitBuffer(in_, 2, tile);
        pipe->InitBuffer(out_, 2, tile);
        pipe->InitBuffer(halfs_, 2 * tile * sizeof(half));
    }

    __aicore__ inline void Process() {
        // The host computes splitRows from all rows of x; the experts may use far fewer rows.
        const int64_t cores = AscendC::GetBlockNum() * AscendC::GetTaskRation();
        const int64_t step = Min(tiling_->splitRows, CeilDiv(rows_, cores));
        for (int64_t row = AscendC::GetBlockIdx() * step; row < rows_; row += cores * step) {
            const auto rows = static_cast<uint32_t>(Min(step, rows_ - row));
            CopyIn(row, rows);
            Compute(rows * tiling_->k);
            CopyOut(row, rows);
        }
        AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(kFlagAllSplit);
    }

    /// Waits for the digits of all cores, and reports them to the cube core.
    __aicore__ inline void Finish() {
        // The code of the next phases comes while this core waits for the others.
        AscendC::ICachePreLoad(7);
        AscendC::CrossCoreWaitFlag(kFlagAllSplit);
        AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(kFlagDigits);
    }

private:
    __aicore__ inline void CopyIn(int64_t row, uint32_t rows) {
        AscendC::LocalTensor<int8_t> in = in_.AllocTensor<int8_t>();
        AscendC::DataCopy(in, x_[row * tiling_->k], rows * tiling_->k);
        in_.EnQue(in);
    }

    /// Splits `elems` elements. All values are exact in half: x / 16 has four fractional bits.
    __aicore__ inline void Compute(uint32_t elems) {
        AscendC::LocalTensor<int8_t> in = in_.DeQue<int8_t>();
        AscendC::LocalTensor<int8_t> out = out_.AllocTensor<int8_t>();
        const AscendC::LocalTensor<AscendC::int4b_t> high = out.ReinterpretCast<AscendC::int4b_t>();
        const AscendC::LocalTensor<AscendC::int4b_t> low =
            out[elems / 2].ReinterpretCast<AscendC::int4b_t>();
        const AscendC::LocalTensor<half> x = halfs_.Get<half>();
        const AscendC::LocalTensor<half> part = x[elems];
        const auto count = static_cast<int32_t>(elems);
        AscendC::Cast(x, in, AscendC::RoundMode::CAST_NONE, elems);
        AscendC::PipeBarrier<PIPE_V>();
        in_.FreeTensor(in);
        AscendC::Muls(part, x, static_cast<half>(0.0625f), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(high, part, AscendC::RoundMode::CAST_FLOOR, elems);
        AscendC::Adds(x, x, static_cast<half>(-8.0f), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(part, high, AscendC::RoundMode::CAST_NONE, elems);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Axpy(x, part, static_cast<half>(-16.0f), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(low, x, AscendC::RoundMode::CAST_RINT, elems);
        AscendC::PipeBarrier<PIPE_V>();  // the next tile's Cast overwrites x
        out_.EnQue(out);
    }

    __aicore__ inline void CopyOut(int64_t row, uint32_t rows) {
        AscendC::LocalTensor<int8_t> out = out_.DeQue<int8_t>();
        const uint32_t rowBytes = tiling_->k / 2;
        AscendC::DataCopyParams params;
        params.blockCount = static_cast<uint16_t>(rows);
        params.blockLen = static_cast<uint16_t>(rowBytes / kBlockBytes);
        params.srcStride = 0;
        params.dstStride = static_cast<uint16_t>((2 * pitch_ - rowBytes) / kBlockBytes);
        AscendC::DataCopy(digits_[row * 2 * pitch_], out, params);
        AscendC::DataCopy(digits_[row * 2 * pitch_ + pitch_], out[rows * rowBytes], params);
        out_.FreeTensor(out);
    }

    const TilingData* tiling_ = nullptr;
    uint32_t pitch_ = 0;  ///< bytes from row to row of digits; each row of x has two rows
    int64_t rows_ = 0;    ///< number of rows of x that belong to any expert
    AscendC::GlobalTensor<int8_t> x_;
    AscendC::GlobalTensor<int8_t> digits_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> halfs_;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_DIGIT_SPLIT_H
