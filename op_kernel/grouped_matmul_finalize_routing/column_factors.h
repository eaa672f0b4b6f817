// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_COLUMN_FACTORS_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_COLUMN_FACTORS_H

#include "../common/copy.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "event.h"
#include "kernel_operator.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// Loads scale and bias of the columns of a panel.
class ColumnFactors {
public:
    __aicore__ inline void Init(GM_ADDR scale, GM_ADDR bias, const TilingData* tiling,
                                AscendC::TPipe* pipe) {
        cols_ = tiling->cols;
        scaleGm_.SetGlobalBuffer((__gm__ uint32_t*)scale, 2 * tiling->experts * cols_);
        biasGm_.SetGlobalBuffer((__gm__ float*)bias, tiling->experts * cols_);
        pipe->InitBuffer(words_, 2 * kBytes);
        pipe->InitBuffer(scale_, kBytes);
        pipe->InitBuffer(bias_, kBytes);
        pipe->InitBuffer(kept_, kRepeatBytes);
        AscendC::Duplicate(kept_.Get<uint32_t>(), kKeptBits,
                           static_cast<int32_t>(kRepeatBytes / sizeof(uint32_t)));
        loaded_.Init();
        free_.Init();
        free_.Set();
    }

    /// Loads scale and bias of `cols` columns. A PIPE_V barrier must follow before V reads them.
    __aicore__ inline void Load(uint32_t expert, int64_t col, uint32_t cols) {
        const int64_t first = expert * cols_ + col;
        const AscendC::LocalTensor<uint32_t> words = words_.Get<uint32_t>();
        const AscendC::LocalTensor<uint32_t> scale = scale_.Get<uint32_t>();
        free_.Wait();
        AscendC::DataCopy(words, scaleGm_[2 * first], 2 * cols);
        AscendC::DataCopy(bias_.Get<float>(), biasGm_[first], cols);
        loaded_.Set();
        loaded_.Wait();
        uint64_t kept = 0;
        AscendC::GatherMask(scale, words, kLowerHalves, true, 2 * cols, {1, 1, 0, 0}, kept);
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<uint16_t> bits = scale.ReinterpretCast<uint16_t>();
        // The bits after the last column are not used.
        constexpr uint32_t kRepeatElems = kRepeatBytes / sizeof(uint16_t);
        AscendC::And(bits, bits, kept_.Get<uint16_t>(), kRepeatElems,
                     static_cast<uint8_t>(CeilDiv(2 * cols, kRepeatElems)), {1, 1, 1, 8, 8, 0});
    }

    /// Loads the sums of the weights' columns from both vector cores of the block, and adds them.
    __aicore__ inline void LoadSums(const AscendC::GlobalTensor<int32_t>& sums, uint32_t cols) {
        constexpr uint32_t kElems = kColumnSumsBytes / sizeof(int32_t);
        const AscendC::LocalTensor<int32_t> parts = words_.Get<int32_t>()[2 * kUnpackCols];
        const auto gap = static_cast<uint16_t>((kElems - cols) / kElemsPerBlock<int32_t>);
        AscendC::DataCopy(parts, sums,
                          {2, static_cast<uint16_t>(cols / kElemsPerBlock<int32_t>), gap, gap});
        loaded_.Set();
        loaded_.Wait();
        AscendC::Add(parts, parts, parts[kElems], static_cast<int32_t>(cols));
    }

    __aicore__ inline AscendC::LocalTensor<int32_t> Sums() {
        return words_.Get<int32_t>()[2 * kUnpackCols];
    }
    __aicore__ inline AscendC::LocalTensor<float> Scale() { return scale_.Get<float>(); }
    __aicore__ inline AscendC::LocalTensor<float> Bias() { return bias_.Get<float>(); }
    __aicore__ inline void Free() { free_.Set(); }

    __aicore__ inline void Finish() {
        free_.Wait();
        free_.Release();
        loaded_.Release();
    }

private:
    static constexpr uint32_t kMostCols = kFewCols;
    static constexpr uint32_t kBytes = kMostCols * sizeof(float);
    static constexpr uint32_t kRepeatBytes = 256;  ///< that a vector instruction reads at a time
    static constexpr uint8_t kLowerHalves = 1;     ///< pattern of GatherMask: even words
    /// Bits of a scale that are used. The cube unit's own dequantisation reads only 10 bits of the
    /// mantissa, so all other bits are cleared.
    static constexpr uint32_t kKeptBits = 0xFFFFE000;

    int64_t cols_ = 0;
    AscendC::GlobalTensor<uint32_t> scaleGm_;
    AscendC::GlobalTensor<float> biasGm_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> words_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scale_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> bias_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> kept_;
    Event<AscendC::HardEvent::MTE2_V> loaded_;
    Event<AscendC::HardEvent::V_MTE2> free_;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_COLUMN_FACTORS_H
