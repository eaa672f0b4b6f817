// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_ROW_FACTORS_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_ROW_FACTORS_H

#include "../common/copy.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "event.h"
#include "kernel_operator.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// Loads each row's factor (pertokenScale * logit) and target row of y, in two sets of buffers.
class RowFactors {
public:
    __aicore__ inline void Init(GM_ADDR pertokenScale, GM_ADDR logit, GM_ADDR rowIndex,
                                const TilingData* tiling, AscendC::TPipe* pipe) {
        scaleGm_.SetGlobalBuffer((__gm__ float*)pertokenScale, tiling->rows);
        logitGm_.SetGlobalBuffer((__gm__ float*)logit, tiling->rows);
        indexGm_.SetGlobalBuffer((__gm__ int64_t*)rowIndex, tiling->rows);
        pipe->InitBuffer(scale_, 2 * kMostRows * sizeof(float));
        pipe->InitBuffer(logit_, 2 * kMostRows * sizeof(float));
        pipe->InitBuffer(index_, 2 * kMostRows * sizeof(int64_t));
        pipe->InitBuffer(spread_, 2 * kMostRows * kBlockElems * sizeof(float));
        for (uint32_t i = 0; i < 2; ++i) {
            loaded_[i].Init();
            free_[i].Init();
            free_[i].Set();
        }
        targetsLoaded_.Init();
    }

    /// Loads factors and targets of `rows` rows. A PIPE_V barrier must follow before V reads them.
    __aicore__ inline void Load(int64_t row, uint32_t rows) {
        set_ = 1 - set_;
        free_[set_].Wait();
        const AscendC::LocalTensor<float> scale = scale_.Get<float>()[set_ * kMostRows];
        const AscendC::LocalTensor<float> logit = logit_.Get<float>()[set_ * kMostRows];
        ops::Load(scale, scaleGm_[row], rows);
        ops::Load(logit, logitGm_[row], rows);
        ops::Load(index_.Get<int64_t>()[set_ * kMostRows], indexGm_[row], rows);
        targetsLoaded_.Set();
        loaded_[set_].Set();
        loaded_[set_].Wait();
        AscendC::Mul(scale, scale, logit, static_cast<int32_t>(rows));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Brcb(spread_.Get<float>()[set_ * kMostRows * kBlockElems], scale,
                      static_cast<uint8_t>(CeilDiv(rows, kBlockElems)), {1, 8});
    }

    /// Returns the factors from row `first` of the tile on; each factor fills a block of 32 B.
    __aicore__ inline AscendC::LocalTensor<float> Factors(uint32_t first) {
        return spread_.Get<float>()[(set_ * kMostRows + first) * kBlockElems];
    }

    /// Returns the target rows of y of the tile's rows.
    __aicore__ inline AscendC::LocalTensor<int64_t> Targets() {
        return index_.Get<int64_t>()[set_ * kMostRows];
    }

    /// Waits until S may read the targets. Call this once per Load(), before the first use of
    /// Targets().
    __aicore__ inline void WaitForTargets() { targetsLoaded_.Wait(); }

    __aicore__ inline void Free() { free_[set_].Set(); }

    __aicore__ inline void Finish() {
        for (uint32_t i = 0; i < 2; ++i) {
            free_[i].Wait();
            free_[i].Release();
            loaded_[i].Release();
        }
        targetsLoaded_.Release();
    }

private:
    static constexpr uint32_t kMostRows = kUnpackTileRows;
    static constexpr uint32_t kBlockElems = kElemsPerBlock<float>;

    AscendC::GlobalTensor<float> scaleGm_;
    AscendC::GlobalTensor<float> logitGm_;
    AscendC::GlobalTensor<int64_t> indexGm_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scale_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> logit_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> index_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> spread_;
    Event<AscendC::HardEvent::MTE2_V> loaded_[2];
    Event<AscendC::HardEvent::V_MTE2> free_[2];
    Event<AscendC::HardEvent::MTE2_S> targetsLoaded_;
    uint32_t set_ = 0;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_ROW_FACTORS_H
