// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_ROW_SUM_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_ROW_SUM_H

#include "kernel_operator.h"

namespace ops::MoeInitRoutingV2GradOp {

/// dst = sum of `rows` >= 1 rows of `elems` elements that lie behind each other in `values`, which
/// may be dst and is destroyed. Each instruction adds the upper half of the rows to the lower half,
/// so there are log2(rows) of them; which rows meet depends on their number alone.
__aicore__ inline void SumRows(const AscendC::LocalTensor<float>& dst,
                               const AscendC::LocalTensor<float>& values, uint32_t rows,
                               uint32_t elems) {
    while (rows > 2) {
        const uint32_t upper = rows / 2;
        rows -= upper;
        AscendC::Add(values, values, values[rows * elems], static_cast<int32_t>(upper * elems));
        AscendC::PipeBarrier<PIPE_V>();
    }
    if (rows == 2) {
        AscendC::Add(dst, values, values[elems], static_cast<int32_t>(elems));
        AscendC::PipeBarrier<PIPE_V>();
    }
}

/// Sum over the steps of a tile. 16-bit types: each step's rows are widened by one Cast behind the
/// sum of the steps before, which so takes part as one more row.
template <typename T>
class RowSum {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t rows, bool severalSteps,
                                uint32_t elems) {
        pipe->InitBuffer(wide_, (rows + (severalSteps ? 1 : 0)) * elems * sizeof(float));
    }

    __aicore__ inline void Add(const AscendC::LocalTensor<T>&, const AscendC::LocalTensor<T>& in,
                               uint32_t rows, uint32_t elems, bool first) {
        const AscendC::LocalTensor<float> sum = wide_.Get<float>();
        const uint32_t before = first ? 0 : 1;
        AscendC::Cast(sum[before * elems], in, AscendC::RoundMode::CAST_NONE, rows * elems);
        AscendC::PipeBarrier<PIPE_V>();
        SumRows(sum, sum, before + rows, elems);
    }

    __aicore__ inline void Finish(const AscendC::LocalTensor<T>& out, uint32_t elems) {
        AscendC::Cast(out, wide_.Get<float>(), AscendC::RoundMode::CAST_RINT, elems);
    }

private:
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
};

/// float: summed in the queues' own buffers, over the steps in the result's. A first step has two
/// rows or more: one slot alone is copied, not summed.
template <>
class RowSum<float> {
public:
    __aicore__ inline void Init(AscendC::TPipe*, uint32_t, bool, uint32_t) {}

    __aicore__ inline void Add(const AscendC::LocalTensor<float>& out,
                               const AscendC::LocalTensor<float>& in, uint32_t rows, uint32_t elems,
                               bool first) {
        SumRows(first ? out : in, in, rows, elems);
        if (!first) {
            AscendC::Add(out, out, in, static_cast<int32_t>(elems));
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    __aicore__ inline void Finish(const AscendC::LocalTensor<float>&, uint32_t) {}
};

}  // namespace ops::MoeInitRoutingV2GradOp

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_ROW_SUM_H
