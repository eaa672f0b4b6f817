// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_SWI_GLU_GRAD_COMPUTE_H
#define OP_KERNEL_SWI_GLU_GRAD_COMPUTE_H

#include "kernel_operator.h"

namespace ops::SwiGluGradOp {

/// Ten float instructions on operands a, b, g; the results land in `gradA` and `gradB`. With t = 1
/// + exp(-a):
///   q = a / t                  silu(a)
///   gradB = q * g
///   gradA = (1 + a - q) / t * b * g, or with kGradientFirst ... * g * b
/// which is the derivative of silu, sg + sg * (1 - sg) * a, with sg = 1 / t taken out of the
/// bracket: no register of ones, and the limits of the reference (0 where exp overflows, NaN at
/// both infinities). The order of the factors decides what overflows on the way. gradA doubles as
/// t, `a` is destroyed.
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
    AscendC::Div(a, a, gradA, elems);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(a, a, kGradientFirst ? g : b, elems);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(gradA, a, kGradientFirst ? b : g, elems);
}

/// 16-bit types: widened once, computed in float, rounded once. In the float buffer a, b, g and the
/// two results lie behind each other, so that one Cast converts all inputs and one all results.
template <typename T>
class Compute {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t tileElems) {
        pipe->InitBuffer(floats_, 5 * tileElems * sizeof(float));
    }

    __aicore__ inline void Run(const AscendC::LocalTensor<T>& out,
                               const AscendC::LocalTensor<T>& in, uint32_t elems) {
        AscendC::LocalTensor<float> a = floats_.Get<float>();
        AscendC::LocalTensor<float> gradA = a[3 * elems];
        AscendC::Cast(a, in, AscendC::RoundMode::CAST_NONE, 3 * elems);
        AscendC::PipeBarrier<PIPE_V>();
        Gradients<true>(gradA, a[4 * elems], a, a[elems], a[2 * elems],
                        static_cast<int32_t>(elems));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(out, gradA, AscendC::RoundMode::CAST_RINT, 2 * elems);
    }

private:
    AscendC::TBuf<AscendC::TPosition::VECCALC> floats_;
};

/// float: computed in the queue's own buffers.
template <>
class Compute<float> {
public:
    __aicore__ inline void Init(AscendC::TPipe*, uint32_t) {}

    __aicore__ inline void Run(const AscendC::LocalTensor<float>& out,
                               const AscendC::LocalTensor<float>& in, uint32_t elems) {
        Gradients<false>(out, out[elems], in, in[elems], in[2 * elems],
                         static_cast<int32_t>(elems));
    }
};

}  // namespace ops::SwiGluGradOp

#endif  // OP_KERNEL_SWI_GLU_GRAD_COMPUTE_H
