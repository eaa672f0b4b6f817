// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_SWI_GLU_GRAD_COMPUTE_H
#define OP_KERNEL_SWI_GLU_GRAD_COMPUTE_H

#include "../swi_glu_grad_tiling.h"
#include "kernel_operator.h"

namespace ops::SwiGluGradOp {

/// Makes the next vector instruction wait for the results of the earlier ones.
__aicore__ inline void AwaitVector() { AscendC::PipeBarrier<PIPE_V>(); }

/// Computes silu(a) and its derivative `slope`, which gradA multiplies by b and g. With
/// t = 1 + exp(-a):
///   silu = a / t
///   slope = (1 + a - silu) / t
/// This is sg + sg * (1 - sg) * a with sg = 1 / t factored out. So it needs no operand of ones, and
/// has the limits of the reference (0 if exp overflows, NaN at both infinities). The tensor `slope`
/// first contains t, and `a` is overwritten.
/// Each instruction with two sources reads `a` and one of the results. The results start
/// kUbShiftBytes after a bank in which `a` starts, so two sources never share a bank.
__aicore__ inline void Derive(const AscendC::LocalTensor<float>& slope,
                              const AscendC::LocalTensor<float>& silu,
                              const AscendC::LocalTensor<float>& a, int32_t elems) {
    AscendC::Muls(slope, a, -1.0f, elems);
    AwaitVector();
    AscendC::Exp(slope, slope, elems);
    AwaitVector();
    AscendC::Adds(slope, slope, 1.0f, elems);
    AwaitVector();
    AscendC::Div(silu, a, slope, elems);
    AwaitVector();
    AscendC::Sub(a, a, silu, elems);
    AwaitVector();
    AscendC::Adds(a, a, 1.0f, elems);
    AwaitVector();
    AscendC::Div(slope, a, slope, elems);
    AwaitVector();
}

}  // namespace ops::SwiGluGradOp

#endif  // OP_KERNEL_SWI_GLU_GRAD_COMPUTE_H
