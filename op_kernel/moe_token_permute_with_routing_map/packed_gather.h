// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PACKED_GATHER_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PACKED_GATHER_H

#include "../common/copy.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Collects rows in UB in any order, element by element. The rows have no gaps, neither before nor
/// after. So rows of a few elements leave in one long copy. Rows that are no multiple of 32 B would
/// otherwise be stored one by one, and L2 would merge each with a line.
template <typename T>
class PackedGather {
public:
    __aicore__ inline void Init(const TilingData* tiling, AscendC::TPipe* pipe) {
        hidden_ = static_cast<uint32_t>(tiling->hidden);
        if (hidden_ == 1) {
            return;  // a row is an element
        }
        const uint32_t elems = tiling->pieceRows * hidden_;
        pipe->InitBuffer(offsets_, elems * sizeof(int32_t));
        pipe->InitBuffer(rows_, elems * sizeof(int32_t));
        pipe->InitBuffer(ramp_, elems * sizeof(int32_t));
        NumberElements(static_cast<int32_t>(elems));
    }

    /// Copies `count` rows of `from` to consecutive rows of `to`. `offsets` has the byte offset of
    /// each row in `from`.
    __aicore__ inline void Collect(const AscendC::LocalTensor<T>& to,
                                   const AscendC::LocalTensor<T>& from,
                                   const AscendC::LocalTensor<int32_t>& offsets, uint32_t count) {
        AscendC::LocalTensor<int32_t> elems = offsets;
        const uint32_t number = count * hidden_;
        if (hidden_ > 1) {
            elems = offsets_.Get<int32_t>();
            AscendC::Gather(elems, offsets, rows_.Get<uint32_t>(), 0, number);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Add(elems, elems, ramp_.Get<int32_t>(), static_cast<int32_t>(number));
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::Gather(to, from, elems.ReinterpretCast<uint32_t>(), 0, number);
    }

private:
    /// Computes for each element of a piece the byte offset of its row's offset, and the byte
    /// offset of the element in its row. Half an element is added to the index, so that rounding
    /// errors never change the number of the row.
    __aicore__ inline void NumberElements(int32_t elems) {
        const AscendC::LocalTensor<float> index = ramp_.Get<float>();
        const AscendC::LocalTensor<float> quotient = offsets_.Get<float>();
        const AscendC::LocalTensor<int32_t> rows = rows_.Get<int32_t>();
        const AscendC::LocalTensor<int32_t> ramp = ramp_.Get<int32_t>();
        const AscendC::LocalTensor<int32_t> first = offsets_.Get<int32_t>();
        const uint32_t count = static_cast<uint32_t>(elems);
        AscendC::CreateVecIndex(index, 0.0f, count);
        AscendC::Adds(quotient, index, 0.5f, elems);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(quotient, quotient, 1.0f / static_cast<float>(hidden_), elems);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(rows, quotient, AscendC::RoundMode::CAST_FLOOR, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(first, rows, static_cast<int32_t>(hidden_), elems);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(rows, rows, static_cast<int32_t>(sizeof(int32_t)), elems);
        AscendC::Cast(ramp, index, AscendC::RoundMode::CAST_RINT, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sub(ramp, ramp, first, elems);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(ramp, ramp, static_cast<int32_t>(sizeof(T)), elems);
    }

    uint32_t hidden_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> offsets_;  ///< of the elements of a piece
    AscendC::TBuf<AscendC::TPosition::VECCALC> rows_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> ramp_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PACKED_GATHER_H
