// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_DEQUANTISE_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_DEQUANTISE_H

#include "../common/copy.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "column_factors.h"
#include "kernel_operator.h"
#include "row_factors.h"
#include "share.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// Computes ((16 * hi + lo) * scale + bias) * (pertokenScale * logit) in float from int32 sums.
/// Before the multiplication by scale only one value is rounded: the sum of both digits, whose
/// exact value has up to 26 bits.
class Dequantise {
public:
    /// `digits` is the number of rows of sums per row of x: one if weights are unpacked.
    __aicore__ inline void Init(ColumnFactors* columns, RowFactors* rows, uint32_t digits) {
        columns_ = columns;
        rows_ = rows;
        digits_ = digits;
    }

    /// Computes the results of a share in place, in the rows of the low digits. `col` is the
    /// share's first column in its panel.
    __aicore__ inline void Run(const AscendC::LocalTensor<float>& data, const Share& share,
                               uint32_t col) {
        const AscendC::LocalTensor<float> low = data[(digits_ - 1) * share.pitch];
        const AscendC::LocalTensor<float> scale = columns_->Scale()[col];
        const AscendC::LocalTensor<float> bias = columns_->Bias()[col];
        const AscendC::LocalTensor<float> factors = rows_->Factors(share.row);
        const Loop loop = LoopOf(share);
        const AscendC::BinaryRepeatParams byColumn(1, 1, 1, loop.dataStep, loop.dataStep,
                                                   loop.columnStep);
        const AscendC::BinaryRepeatParams byRow(1, 1, 0, loop.dataStep, loop.dataStep,
                                                loop.rowStep);
        if (digits_ == 2) {
            AddDigits(data, share, loop);
        } else {
            SubtractColumnSums(data, share, loop, col);
        }
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < loop.count; ++i) {
            AscendC::Mul(low[i * loop.data], low[i * loop.data], scale[i * loop.column],
                         Columns(share, loop, i), loop.repeats, byColumn);
        }
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < loop.count; ++i) {
            AscendC::Add(low[i * loop.data], low[i * loop.data], bias[i * loop.column],
                         Columns(share, loop, i), loop.repeats, byColumn);
        }
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < loop.count; ++i) {
            AscendC::Mul(low[i * loop.data], low[i * loop.data], factors[i * loop.row],
                         Columns(share, loop, i), loop.repeats, byRow);
        }
    }

private:
    static constexpr uint32_t kRepeatElems = 64;

    /// The instructions that compute a share. Each has several repeats of up to 64 columns: the
    /// rows of 64 columns, or all columns of a row. The longer of the two needs fewer instructions.
    struct Loop {
        uint32_t count;   ///< number of instructions
        uint32_t data;    ///< elements of the sums from instruction to instruction
        uint32_t column;  ///< the same of the columns' factors
        uint32_t row;     ///< the same of the rows' factors
        uint8_t repeats;
        uint8_t dataStep;  ///< blocks of the sums from repeat to repeat
        uint8_t columnStep;
        uint8_t rowStep;
    };

    __aicore__ inline Loop LoopOf(const Share& share) const {
        const uint32_t groups = CeilDiv(share.cols, kRepeatElems);
        const uint32_t rowElems = digits_ * share.pitch;
        const auto blocks = static_cast<uint8_t>(rowElems / kElemsPerBlock<float>);
        if (share.rows < groups && share.cols % kRepeatElems == 0) {
            constexpr uint8_t kStep = kRepeatElems / kElemsPerBlock<float>;
            return {share.rows, rowElems, 0, kElemsPerBlock<float>, static_cast<uint8_t>(groups),
                    kStep,      kStep,    0};
        }
        return {groups, kRepeatElems, kRepeatElems, 0, static_cast<uint8_t>(share.rows), blocks, 0,
                1};
    }

    /// Converts the sums of both digits to float, and adds 16 times the high ones to the low ones.
    __aicore__ inline void AddDigits(const AscendC::LocalTensor<float>& data, const Share& share,
                                     const Loop& loop) {
        const AscendC::LocalTensor<float> low = data[share.pitch];
        const AscendC::UnaryRepeatParams bothDigits(1, 1, loop.dataStep, loop.dataStep);
        AscendC::Cast(data, data.ReinterpretCast<int32_t>(), AscendC::RoundMode::CAST_RINT,
                      2 * share.rows * share.pitch);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < loop.count; ++i) {
            AscendC::Axpy(low[i * loop.data], data[i * loop.data], 16.0f, Columns(share, loop, i),
                          loop.repeats, bothDigits);
        }
    }

    /// Subtracts 8 times the sums of the weights' columns, and converts the result to float.
    __aicore__ inline void SubtractColumnSums(const AscendC::LocalTensor<float>& data,
                                              const Share& share, const Loop& loop, uint32_t col) {
        const AscendC::LocalTensor<int32_t> words = data.ReinterpretCast<int32_t>();
        const AscendC::LocalTensor<int32_t> sums = columns_->Sums()[col];
        const AscendC::BinaryRepeatParams byColumn(1, 1, 1, loop.dataStep, loop.dataStep,
                                                   loop.columnStep);
        for (uint32_t i = 0; i < loop.count; ++i) {
            AscendC::Sub(words[i * loop.data], words[i * loop.data], sums[i * loop.column],
                         Columns(share, loop, i), loop.repeats, byColumn);
        }
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(data, words, AscendC::RoundMode::CAST_RINT, share.rows * share.pitch);
    }

    /// Returns the mask of instruction `i`.
    __aicore__ inline static uint64_t Columns(const Share& share, const Loop& loop, uint32_t i) {
        return Min(share.cols - i * loop.column, kRepeatElems);
    }

    ColumnFactors* columns_ = nullptr;
    RowFactors* rows_ = nullptr;
    uint32_t digits_ = 2;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_DEQUANTISE_H
