// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FACTORS_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FACTORS_H

#include "work.h"

namespace GroupedMatmulFinalizeRoutingOp {

/// An event with an id of its own. One per buffer: no flag is set again before the other pipe has
/// waited for it: the buffer's own way back comes in between.
template <AscendC::HardEvent EVENT>
class Event {
public:
    __aicore__ inline void Init() {
        id_ = static_cast<int32_t>(GetTPipePtr()->AllocEventID<EVENT>());
    }
    __aicore__ inline void Set() const { AscendC::SetFlag<EVENT>(id_); }
    __aicore__ inline void Wait() const { AscendC::WaitFlag<EVENT>(id_); }
    __aicore__ inline void Release() const { GetTPipePtr()->ReleaseEventID<EVENT>(id_); }

private:
    int32_t id_ = 0;
};

/// Scale and bias of the columns of a panel.
class ColumnFactors {
public:
    __aicore__ inline void Init(GM_ADDR scale, GM_ADDR bias, const TilingData* tiling,
                                AscendC::TPipe* pipe) {
        cols_ = tiling->cols;
        scaleGm_.SetGlobalBuffer((__gm__ uint32_t*)scale, 2 * tiling->experts * cols_);
        biasGm_.SetGlobalBuffer((__gm__ float*)bias, tiling->experts * cols_);
        pipe->InitBuffer(words_, 2 * BYTES);
        pipe->InitBuffer(scale_, BYTES);
        pipe->InitBuffer(bias_, BYTES);
        pipe->InitBuffer(kept_, BYTES);
        AscendC::Duplicate(kept_.Get<uint32_t>(), KEPT_BITS, static_cast<int32_t>(MOST_COLS));
        AscendC::PipeBarrier<PIPE_V>();
        loaded_.Init();
        free_.Init();
        free_.Set();
    }

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
        AscendC::GatherMask(scale, words, LOWER_HALVES, true, 2 * cols, {1, 1, 0, 0}, kept);
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<uint16_t> bits = scale.ReinterpretCast<uint16_t>();
        AscendC::And(bits, bits, kept_.Get<uint16_t>(), static_cast<int32_t>(2 * cols));
        AscendC::PipeBarrier<PIPE_V>();
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
    static constexpr uint32_t MOST_COLS = GMM_FINALIZE_MAX_UNIT_COLS;
    static constexpr uint32_t BYTES = MOST_COLS * sizeof(float);
    static constexpr uint8_t LOWER_HALVES = 1;  ///< pattern of GatherMask
    /// The cube unit's own dequantisation reads 10 bits of mantissa, so that is what a scale means.
    static constexpr uint32_t KEPT_BITS = 0xFFFFE000;

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

/// Factor and target of the rows of a pass, in two sets of buffers.
class RowFactors {
public:
    __aicore__ inline void Init(GM_ADDR pertokenScale, GM_ADDR logit, GM_ADDR rowIndex,
                                const TilingData* tiling, AscendC::TPipe* pipe) {
        scaleGm_.SetGlobalBuffer((__gm__ float*)pertokenScale, tiling->rows);
        logitGm_.SetGlobalBuffer((__gm__ float*)logit, tiling->rows);
        indexGm_.SetGlobalBuffer((__gm__ int64_t*)rowIndex, tiling->rows);
        pipe->InitBuffer(scale_, 2 * ROWS * sizeof(float));
        pipe->InitBuffer(logit_, 2 * ROWS * sizeof(float));
        pipe->InitBuffer(index_, 2 * ROWS * sizeof(int64_t));
        pipe->InitBuffer(spread_, 2 * ROWS * BLOCK_ELEMS * sizeof(float));
        for (uint32_t i = 0; i < 2; ++i) {
            loaded_[i].Init();
            free_[i].Init();
            free_[i].Set();
        }
        targetsLoaded_.Init();
    }

    __aicore__ inline void Load(int64_t row, uint32_t rows) {
        set_ = 1 - set_;
        free_[set_].Wait();
        const AscendC::LocalTensor<float> scale = scale_.Get<float>()[set_ * ROWS];
        const AscendC::LocalTensor<float> logit = logit_.Get<float>()[set_ * ROWS];
        CopyIn(scale, scaleGm_[row], rows);
        CopyIn(logit, logitGm_[row], rows);
        CopyIn(index_.Get<int64_t>()[set_ * ROWS], indexGm_[row], rows);
        targetsLoaded_.Set();
        loaded_[set_].Set();
        loaded_[set_].Wait();
        AscendC::Mul(scale, scale, logit, static_cast<int32_t>(rows));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Brcb(spread_.Get<float>()[set_ * ROWS * BLOCK_ELEMS], scale,
                      static_cast<uint8_t>(CeilDiv(rows, BLOCK_ELEMS)), {1, 8});
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// A block of 32 B with the factor of each row, from the pass's row `first`.
    __aicore__ inline AscendC::LocalTensor<float> Factors(uint32_t first) {
        return spread_.Get<float>()[(set_ * ROWS + first) * BLOCK_ELEMS];
    }

    __aicore__ inline int64_t Target(uint32_t row) {
        return index_.Get<int64_t>().GetValue(set_ * ROWS + row);
    }

    /// Once per pass, before the first Target.
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
    static constexpr uint32_t ROWS = GMM_FINALIZE_TILE_ROWS;
    static constexpr uint32_t BLOCK_ELEMS = 8;

    template <typename T>
    __aicore__ inline void CopyIn(const AscendC::LocalTensor<T>& to,
                                  const AscendC::GlobalTensor<T>& from, uint32_t rows) {
        const AscendC::DataCopyExtParams run(1, rows * sizeof(T), 0, 0, 0);
        const AscendC::DataCopyPadExtParams<T> noPadding(false, 0, 0, T());
        AscendC::DataCopyPad(to, from, run, noPadding);
    }

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

}  // namespace GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FACTORS_H
