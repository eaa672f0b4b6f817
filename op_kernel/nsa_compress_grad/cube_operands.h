// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_OPERANDS_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_OPERANDS_H

#include "../common/integers.h"
#include "../nsa_compress_grad_tiling.h"
#include "kernel_operator.h"

namespace ops::NsaCompressGradOp {

/// The operands in L0A and L0B, each in two halves: MTE1 loads one while M reads the other. The
/// sums of all heads stay in L0C: for each head 16 rows of `columns` floats.
template <typename T>
class CubeOperands {
public:
    /// `resultElems` is the largest number of elements of a result of StoreProduct(), or 0.
    __aicore__ inline void Init(uint32_t columns, uint32_t heads, uint32_t resultElems,
                                AscendC::TPipe* pipe) {
        columns_ = columns;
        resultElems_ = resultElems;
        resultsAt_ = heads * kCubeWindows * columns;
        pipe->InitBuffer(l0a_, 2 * kHalfBytes);
        pipe->InitBuffer(l0b_, 2 * kHalfBytes);
        // The more results fit, the longer MTE1 and M need not wait for a copy to GM.
        results_ = resultElems == 0 ? 0 : Min(kMaxResults, (kL0cElems - resultsAt_) / resultElems);
        pipe->InitBuffer(l0c_, (resultsAt_ + results_ * resultElems) * sizeof(float));
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent);
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent + 1);
        AscendC::SetFlag<AscendC::HardEvent::FIX_M>(kFirstEvent);
        for (uint32_t i = 0; i < results_; ++i) {
            AscendC::SetFlag<AscendC::HardEvent::FIX_M>(kResultEvent + static_cast<int32_t>(i));
        }
    }

    /// Waits for all flags, so that none is left set.
    __aicore__ inline void Finish() {
        AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent);
        AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent + 1);
        AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(kFirstEvent);
        for (uint32_t i = 0; i < results_; ++i) {
            AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(kResultEvent + static_cast<int32_t>(i));
        }
    }

    /// Sets all sums to zero: products of zeros.
    __aicore__ inline void ClearSums(uint32_t heads) {
        Begin();
        const AscendC::LocalTensor<half> a = l0a_.Get<half>()[half_ * kHalfElems];
        const AscendC::LocalTensor<half> b = l0b_.Get<half>()[half_ * kHalfElems];
        const uint16_t fractals = static_cast<uint16_t>(columns_ / kEdge);
        AscendC::InitConstValue(a, AscendC::InitConstValueParams<half>(1, 1, 0, half(0.0f)));
        AscendC::InitConstValue(b, AscendC::InitConstValueParams<half>(1, fractals, 0, half(0.0f)));
        AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(kFirstEvent);
        AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(half_);
        AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(half_);
        for (uint32_t head = 0; head < heads; ++head) {
            Multiply(head, kCubeWindows, columns_, kEdge, true);
        }
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent + half_);
    }

    /// Adds the products of one head. `gradients` has 16 rows, of which `windows` matter, and
    /// `rows` has `count` rows; both are in L1, in stripes of 16 columns.
    __aicore__ inline void AddProducts(uint32_t head, const AscendC::LocalTensor<T>& gradients,
                                       uint32_t windows, const AscendC::LocalTensor<T>& rows,
                                       uint32_t count, uint32_t headDim) {
        const uint32_t step = Min(headDim, kHalfElems / count / kEdge * kEdge);
        for (uint32_t column = 0; column < headDim; column += step) {
            const uint32_t width = Min(step, headDim - column);
            Begin();
            Load(l0a_.Get<T>()[half_ * kHalfElems], gradients[column * kCubeWindows],
                 width / kEdge);
            Load(l0b_.Get<T>()[half_ * kHalfElems], rows[column * count],
                 width / kEdge * (count / kEdge));
            AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(half_);
            AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(half_);
            Multiply(head, windows, count, width, false);
            AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent + half_);
        }
    }

    /// Multiplies `rows` rows of `k` weights by `k` rows of `columns` gradients, and copies the
    /// result to GM. `weights` are fractals in L1; `gradients` are in L1 in stripes of 16 columns.
    /// M ignores the weights and gradients behind the first `k`.
    __aicore__ inline void StoreProduct(const AscendC::GlobalTensor<T>& gm, uint32_t pitch,
                                        const AscendC::LocalTensor<T>& weights,
                                        const AscendC::LocalTensor<T>& gradients, uint32_t rows,
                                        uint32_t columns, uint32_t k) {
        Begin();
        const AscendC::LocalTensor<T> a = l0a_.Get<T>()[half_ * kHalfElems];
        const AscendC::LocalTensor<T> b = l0b_.Get<T>()[half_ * kHalfElems];
        Load(a, weights, rows / kEdge);
        Load(b, gradients, columns / kEdge, true);
        AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(half_);
        AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(half_);
        result_ = result_ + 1 < results_ ? result_ + 1 : 0;
        const int32_t event = kResultEvent + static_cast<int32_t>(result_);
        const AscendC::LocalTensor<float> c =
            l0c_.Get<float>()[resultsAt_ + result_ * resultElems_];
        AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(event);
        AscendC::MmadParams params;
        params.m = static_cast<uint16_t>(rows);
        params.n = static_cast<uint16_t>(columns);
        params.k = static_cast<uint16_t>(k);
        params.cmatrixInitVal = true;
        AscendC::Mmad(c, a, b, params);
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent + half_);
        AscendC::SetFlag<AscendC::HardEvent::M_FIX>(event);
        AscendC::WaitFlag<AscendC::HardEvent::M_FIX>(event);
        AscendC::FixpipeParamsV220 fix;
        fix.nSize = static_cast<uint16_t>(columns);
        fix.mSize = static_cast<uint16_t>(rows);
        fix.srcStride = static_cast<uint16_t>(rows);
        fix.dstStride = pitch;
        fix.quantPre = kRound;
        AscendC::Fixpipe<T, float, AscendC::CFG_ROW_MAJOR>(gm, c, fix);
        AscendC::SetFlag<AscendC::HardEvent::FIX_M>(event);
    }

    /// Copies the sums of `windows` windows to GM, head by head, in rows of `columns` floats.
    __aicore__ inline void Store(const AscendC::GlobalTensor<float>& gm, uint32_t windows,
                                 uint32_t heads) {
        AscendC::SetFlag<AscendC::HardEvent::M_FIX>(kFirstEvent);
        AscendC::WaitFlag<AscendC::HardEvent::M_FIX>(kFirstEvent);
        AscendC::FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(columns_);
        params.mSize = static_cast<uint16_t>(windows);
        params.srcStride = kCubeWindows;
        params.dstStride = columns_;
        for (uint32_t head = 0; head < heads; ++head) {
            AscendC::Fixpipe<float, float, AscendC::CFG_ROW_MAJOR>(
                gm[head * kCubeWindows * columns_], SumsOf(head), params);
        }
        AscendC::SetFlag<AscendC::HardEvent::FIX_M>(kFirstEvent);
    }

private:
    static constexpr uint32_t kHalfBytes = 32 * 1024;
    static constexpr uint32_t kHalfElems = kHalfBytes / sizeof(T);
    static constexpr uint32_t kEdge = 16;  ///< edge of a fractal
    static constexpr uint32_t kFractalElems = kEdge * kEdge;
    static constexpr int32_t kFirstEvent = 3;  ///< event ids 0 to 2 belong to the library
    static constexpr int32_t kResultEvent = 4;
    static constexpr uint32_t kMaxResults = 4;  ///< there are 8 event ids
    static constexpr uint32_t kL0cElems = 128 * 1024 / sizeof(float);
    static constexpr QuantMode_t kRound =
        AscendC::IsSameType<T, half>::value ? QuantMode_t::F322F16 : QuantMode_t::F322BF16;
    static_assert(sizeof(T) == sizeof(half), "a fractal has 16 x 16 elements");

    __aicore__ inline AscendC::LocalTensor<float> SumsOf(uint32_t head) {
        return l0c_.Get<float>()[head * kCubeWindows * columns_];
    }

    __aicore__ inline void Begin() {
        half_ = 1 - half_;
        AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent + half_);
    }

    __aicore__ inline static void Load(const AscendC::LocalTensor<T>& to,
                                       const AscendC::LocalTensor<T>& from, uint32_t fractals,
                                       bool transpose = false) {
        AscendC::LoadData2DParams params;
        params.repeatTimes = static_cast<uint8_t>(fractals);
        params.srcStride = 1;
        params.ifTranspose = transpose;
        AscendC::LoadData(to, from, params);
    }

    __aicore__ inline void Multiply(uint32_t head, uint32_t windows, uint32_t columns, uint32_t k,
                                    bool first) {
        AscendC::MmadParams params;
        params.m = static_cast<uint16_t>(windows);
        params.n = static_cast<uint16_t>(columns);
        params.k = static_cast<uint16_t>(k);
        params.cmatrixInitVal = first;
        AscendC::Mmad(SumsOf(head), l0a_.Get<T>()[half_ * kHalfElems],
                      l0b_.Get<T>()[half_ * kHalfElems], params);
        // The cube unit by itself orders additions to the same sums only if the sums have enough
        // fractals.
        AscendC::PipeBarrier<PIPE_M>();
    }

    AscendC::TBuf<AscendC::TPosition::A2> l0a_;
    AscendC::TBuf<AscendC::TPosition::B2> l0b_;
    AscendC::TBuf<AscendC::TPosition::CO1> l0c_;
    uint32_t columns_ = 0;
    uint32_t resultElems_ = 0;
    uint32_t resultsAt_ = 0;  ///< offset in L0C of the results of StoreProduct()
    uint32_t results_ = 0;    ///< number of results that fit into L0C
    uint32_t result_ = 0;
    int32_t half_ = 0;
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_OPERANDS_H
