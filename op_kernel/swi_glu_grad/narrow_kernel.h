// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_SWI_GLU_GRAD_NARROW_KERNEL_H
#define OP_KERNEL_SWI_GLU_GRAD_NARROW_KERNEL_H

#include <type_traits>

#include "../common/copy.h"
#include "../common/shares.h"
#include "../swi_glu_grad_tiling.h"
#include "compute.h"
#include "kernel_operator.h"
#include "narrow_places.h"

namespace ops::SwiGluGradOp {

/// Computes the same as Kernel, for rows of a few bytes. A strided copy takes a fixed time for each
/// row. So a tile is one run of whole rows: copies move it in one piece, Gather separates a and b,
/// and another Gather puts the rows of the results together.
template <typename T>
class NarrowKernel {
public:
    __aicore__ inline NarrowKernel() {}

    __aicore__ inline void Init(GM_ADDR yGrad, GM_ADDR x, GM_ADDR xGrad,
                                const SwiGluGradTilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = *tiling;
        yGradGm_.SetGlobalBuffer((__gm__ T*)yGrad, tiling_.rows * tiling_.cols);
        xGm_.SetGlobalBuffer((__gm__ T*)x, tiling_.rows * tiling_.cols * 2);
        xGradGm_.SetGlobalBuffer((__gm__ T*)xGrad, tiling_.rows * tiling_.cols * 2);
        xGradPastL2_ = xGradGm_;
        xGradPastL2_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
        if (tiling_.readsPastL2 != 0) {
            yGradGm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
            xGm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
        }
        InitBuffers(pipe);
    }

    __aicore__ inline void Process() {
        const Range tiles = SkewedShareOfBlock(tiling_.tiles, tiling_.skew);
        const int64_t count = tiles.Size();
        if (count == 0) {
            return;
        }
        const int64_t tileElems = tiling_.rowsPerTile * tiling_.cols;
        const int64_t all = tiling_.rows * tiling_.cols;
        int64_t first = tiles.begin * tileElems;
        CopyIn(first, Min(all - first, tileElems), 0, false);
        FindPlaces(static_cast<int32_t>(tileElems));
        for (int64_t index = 0; index < count; ++index) {
            const uint32_t buffer = static_cast<uint32_t>(index) % kBuffers;
            const int64_t next = first + tileElems;
            if (index + 1 < count) {
                CopyIn(next, Min(all - next, tileElems), kBuffers - 1 - buffer, index > 0);
            }
            const uint32_t elems = static_cast<uint32_t>(Min(all - first, tileElems));
            const bool again = index + kBuffers < count;
            Compute(elems, buffer, again, index >= kBuffers);
            CopyOut(first, elems, buffer, index < tiling_.tilesThroughL2, again);
            first = next;
        }
    }

private:
    static constexpr uint32_t kBuffers = 2;
    static constexpr bool kConverts = sizeof(T) < sizeof(float);
    /// Gather moves bits, so any type of the same size will do.
    using Bits = std::conditional_t<kConverts, uint16_t, uint32_t>;

    /// Puts into UB: three floats for an operand and both results, the offsets for Gather, for
    /// 16-bit types a place for two operands, and the inputs and the results of two tiles.
    __aicore__ inline void InitBuffers(AscendC::TPipe* pipe) {
        const uint32_t pitch = tiling_.tileElems;
        const uint32_t shift = kUbShiftBytes / sizeof(float);
        const uint32_t words = 6 * pitch + 2 * shift;
        const uint32_t staged = kConverts ? 2 * pitch : 0;
        const uint32_t elems = staged + (3 + 2) * kBuffers * pitch;
        pipe->InitBuffer(buffer_, words * sizeof(float) + elems * sizeof(T));
        a_ = buffer_.Get<float>();
        gradA_ = a_[pitch + shift];
        inputPlaces_ = buffer_.Get<int32_t>()[3 * pitch + 2 * shift];
        outputPlaces_ = inputPlaces_[pitch];
        staged_ = buffer_.Get<T>()[words * sizeof(float) / sizeof(T)];
        in_ = staged_[staged];
        out_ = in_[3 * kBuffers * pitch];
    }

    /// Computes the offsets for a whole tile; a smaller tile uses the first ones.
    __aicore__ inline void FindPlaces(int32_t elems) {
        NarrowPlaces places(static_cast<uint32_t>(tiling_.cols), sizeof(T), a_);
        places.OfInput(inputPlaces_, elems);
        // Both halves begin at a multiple of 32 B.
        const int32_t half = static_cast<int32_t>(RoundUp(static_cast<uint32_t>(elems), 8U));
        const int32_t distance = static_cast<int32_t>(tiling_.tileElems);
        places.OfOutput(outputPlaces_, 0, distance, half);
        places.OfOutput(outputPlaces_[half], half, distance, 2 * elems - half);
    }

    __aicore__ inline void CopyIn(int64_t first, int64_t elems, uint32_t buffer, bool used) {
        const uint32_t count = static_cast<uint32_t>(elems);
        const AscendC::LocalTensor<T> in = in_[buffer * 3 * tiling_.tileElems];
        if (used) {
            AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(EventOf(buffer));
        }
        Load(in, xGm_[2 * first], 2 * count);
        Load(in[2 * tiling_.tileElems], yGradGm_[first], count);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EventOf(buffer));
    }

    __aicore__ inline void Compute(uint32_t elems, uint32_t buffer, bool again, bool used) {
        const uint32_t pitch = tiling_.tileElems;
        const int32_t count = static_cast<int32_t>(elems);
        const AscendC::LocalTensor<T> x = in_[buffer * 3 * pitch];
        const AscendC::LocalTensor<float> gradB = gradA_[pitch];
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EventOf(buffer));
        Take(x, 0, elems);
        Derive(gradA_, gradB, a_, count);
        if constexpr (kConverts) {
            AscendC::Cast(a_, x[2 * pitch], AscendC::RoundMode::CAST_NONE, elems);
            AwaitVector();
            Multiply(gradB, a_, count);
            Multiply(gradA_, a_, count);
            AwaitVector();
            Take(x, static_cast<uint32_t>(tiling_.cols) * sizeof(T), elems);
            Multiply(gradA_, a_, count);
        } else {
            Multiply(gradB, x[2 * pitch], count);
            Take(x, static_cast<uint32_t>(tiling_.cols) * sizeof(T), elems);
            Multiply(gradA_, a_, count);
            AwaitVector();
            Multiply(gradA_, x[2 * pitch], count);
        }
        AwaitVector();
        if (again) {
            AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(EventOf(buffer));
        }
        if (used) {
            AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(EventOf(buffer));
        }
        Put(out_[buffer * 2 * pitch], elems);
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EventOf(buffer));
    }

    __aicore__ inline void CopyOut(int64_t first, uint32_t elems, uint32_t buffer, bool throughL2,
                                   bool again) {
        const AscendC::GlobalTensor<T>& gm = throughL2 ? xGradGm_ : xGradPastL2_;
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EventOf(buffer));
        Store(gm[2 * first], out_[buffer * 2 * tiling_.tileElems], 2 * elems);
        if (again) {
            AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(EventOf(buffer));
        }
    }

    /// Sets a_ to the floats of a, or of b, which is `base` bytes further in each row of x.
    __aicore__ inline void Take(const AscendC::LocalTensor<T>& x, uint32_t base, uint32_t elems) {
        const AscendC::LocalTensor<uint32_t> places =
            inputPlaces_.template ReinterpretCast<uint32_t>();
        const AscendC::LocalTensor<Bits> bits = x.template ReinterpretCast<Bits>();
        if constexpr (kConverts) {
            AscendC::Gather(staged_.template ReinterpretCast<Bits>(), bits, places, base, elems);
            AwaitVector();
            AscendC::Cast(a_, staged_, AscendC::RoundMode::CAST_NONE, elems);
        } else {
            AscendC::Gather(a_.template ReinterpretCast<Bits>(), bits, places, base, elems);
        }
        AwaitVector();
    }

    /// Rounds the results and puts them into rows [gradA | gradB].
    __aicore__ inline void Put(const AscendC::LocalTensor<T>& out, uint32_t elems) {
        const uint32_t pitch = tiling_.tileElems;
        const AscendC::LocalTensor<uint32_t> places =
            outputPlaces_.template ReinterpretCast<uint32_t>();
        if constexpr (kConverts) {
            for (uint32_t i = 0; i < 2; ++i) {
                AscendC::Cast(staged_[i * pitch], gradA_[i * pitch], AscendC::RoundMode::CAST_RINT,
                              elems);
            }
            AwaitVector();
            AscendC::Gather(out.template ReinterpretCast<Bits>(),
                            staged_.template ReinterpretCast<Bits>(), places, 0, 2 * elems);
        } else {
            AscendC::Gather(out.template ReinterpretCast<Bits>(),
                            gradA_.template ReinterpretCast<Bits>(), places, 0, 2 * elems);
        }
        AwaitVector();
    }

    __aicore__ inline static void Multiply(const AscendC::LocalTensor<float>& result,
                                           const AscendC::LocalTensor<float>& factor,
                                           int32_t elems) {
        AscendC::Mul(result, result, factor, elems);
    }
    __aicore__ inline static event_t EventOf(uint32_t buffer) {
        return static_cast<event_t>(buffer);
    }

    SwiGluGradTilingData tiling_;
    AscendC::GlobalTensor<T> yGradGm_;
    AscendC::GlobalTensor<T> xGm_;
    AscendC::GlobalTensor<T> xGradGm_;
    AscendC::GlobalTensor<T> xGradPastL2_;  ///< the same tensor
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
    AscendC::LocalTensor<float> a_;               ///< an operand
    AscendC::LocalTensor<float> gradA_;           ///< both results, tileElems apart
    AscendC::LocalTensor<int32_t> inputPlaces_;   ///< where Gather finds a
    AscendC::LocalTensor<int32_t> outputPlaces_;  ///< where Gather finds the results' elements
    AscendC::LocalTensor<T> staged_;  ///< between Cast and Gather: an operand, or both results
    AscendC::LocalTensor<T> in_;      ///< x and yGrad of each buffer
    AscendC::LocalTensor<T> out_;     ///< the result of each buffer
};

}  // namespace ops::SwiGluGradOp

#endif  // OP_KERNEL_SWI_GLU_GRAD_NARROW_KERNEL_H
