// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_SWI_GLU_GRAD_COMPUTE_H
#define OP_KERNEL_SWI_GLU_GRAD_COMPUTE_H

#include "../swi_glu_grad_tiling.h"
#include "kernel_operator.h"

namespace ops::SwiGluGradOp {

/// Computes the gradients of a and b from a, b and g, in ten float instructions.
/// With t = 1 + exp(-a):
///   q = a / t                  silu(a)
///   gradB = q * g
///   gradA = (1 + a - q) / t * b * g, or with kGradientFirst ... * g * b
/// The factor of b * g is the derivative of silu, sg + sg * (1 - sg) * a, with sg = 1 / t factored
/// out. So it needs no operand of ones, and has the limits of the reference (0 if exp overflows,
/// NaN at both infinities). The order of the factors decides which intermediate values overflow.
/// gradA also stores t, and `a` is overwritten.
/// Each instruction with two sources reads one of a, b, g and one of the results. a, b and g start
/// in the same bank of UB, and the results kUbShiftBytes later, so two sources never share a bank.
template <bool kGradientFirst>
__aicore__ inline void Gradients(const AscendC::LocalTensor<float>& gradA,
                                 const AscendC::LocalTensor<float>& gradB,
                                 const AscendC::LocalTensor<float>& a,
                                 const AscendC::LocalTensor<float>& b,
                                 const AscendC::LocalTensor<float>& g, int32_t elems) {
    AscendC::Muls(gradA, a, -1.0f, elems);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Exp(gradA, gradA, elems);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(gradA, gradA, 1.0f, elems);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Div(gradB, a, gradA, elems);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Sub(a, a, gradB, elems);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(gradB, gradB, g, elems);
    AscendC::Adds(a, a, 1.0f, elems);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Div(gradA, a, gradA, elems);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(gradA, gradA, kGradientFirst ? g : b, elems);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(gradA, gradA, kGradientFirst ? b : g, elems);
}

/// Computes a tile of a 16-bit type: it converts the operands to float once and rounds the results
/// once. In the queues and in the float buffer, the next operand starts `pitch` elements after the
/// start of the previous one.
template <typename T>
class Compute {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t pitch) {
        pitch_ = pitch;
        pipe->InitBuffer(floats_, 5 * pitch * sizeof(float) + kUbShiftBytes);
    }

    __aicore__ inline void Run(const AscendC::LocalTensor<T>& out,
                               const AscendC::LocalTensor<T>& in, uint32_t elems) {
        AscendC::LocalTensor<float> a = floats_.Get<float>();
        AscendC::LocalTensor<float> gradA = a[3 * pitch_ + kUbShiftBytes / sizeof(float)];
        Convert(a, in, AscendC::RoundMode::CAST_NONE, 3, elems);
        AscendC::PipeBarrier<PIPE_V>();
        Gradients<true>(gradA, gradA[pitch_], a, a[pitch_], a[2 * pitch_],
                        static_cast<int32_t>(elems));
        AscendC::PipeBarrier<PIPE_V>();
        Convert(out, gradA, AscendC::RoundMode::CAST_RINT, 2, elems);
    }

private:
    /// Converts the operands, with one instruction if there is no gap between them. Does not read
    /// gaps, because nothing has written them.
    template <typename To, typename From>
    __aicore__ inline void Convert(const AscendC::LocalTensor<To>& to,
                                   const AscendC::LocalTensor<From>& from,
                                   const AscendC::RoundMode& mode, uint32_t operands,
                                   uint32_t elems) {
        const uint32_t runs = elems == pitch_ ? 1 : operands;
        for (uint32_t i = 0; i < runs; ++i) {
            AscendC::Cast(to[i * pitch_], from[i * pitch_], mode, operands / runs * elems);
        }
    }

    AscendC::TBuf<AscendC::TPosition::VECCALC>
        floats_;  ///< a, b and g, then the results, which are kUbShiftBytes further
    uint32_t pitch_;
};

/// Computes a tile of float in the buffers of the two queues. Call Init() between the InitBuffer
/// calls of these queues, so that shift_ is between their buffers.
template <>
class Compute<float> {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t pitch) {
        pitch_ = pitch;
        pipe->InitBuffer(shift_, kUbShiftBytes);
    }

    __aicore__ inline void Run(const AscendC::LocalTensor<float>& out,
                               const AscendC::LocalTensor<float>& in, uint32_t elems) {
        Gradients<false>(out, out[pitch_], in, in[pitch_], in[2 * pitch_],
                         static_cast<int32_t>(elems));
    }

private:
    AscendC::TBuf<AscendC::TPosition::VECCALC>
        shift_;  ///< unused; moves the results to other UB banks than the inputs
    uint32_t pitch_;
};

}  // namespace ops::SwiGluGradOp

#endif  // OP_KERNEL_SWI_GLU_GRAD_COMPUTE_H
