// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_ROW_SUM_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_ROW_SUM_H

#include "../moe_init_routing_v2_grad_tiling.h"
#include "kernel_operator.h"

namespace ops::MoeInitRoutingV2GradOp {

/// Offsets in UB of `rows` rows that are to be added. Each round adds the upper rows to as many
/// lower rows. The upper rows are moved by an odd multiple of `shift` beyond their pitch. So the
/// two sources of an addition never use the same group of banks, if the pitch is a multiple of
/// kRowUnit and the shift is kUbShiftFloats. The upper rows have the same gaps as the lower rows,
/// so one instruction adds all upper rows. Example: 8 rows move by 0, 1, 1, 2, 3, 4, 4, 5 shifts.
struct RowPlaces {
    uint32_t rows;
    uint32_t pitch;  ///< distance from row to row, in floats
    uint32_t shift;  ///< unit of additional distances, in floats

    __aicore__ inline uint32_t OffsetOf(uint32_t row) const {
        uint32_t turn = 1;
        while (turn < rows) {
            turn *= 2;
        }
        uint32_t shifts = rows == 1 ? 1 : 0;  // a single row is added to an unshifted sum
        uint32_t place = row;
        for (uint32_t left = rows; left > 1; turn /= 2) {
            left -= left / 2;
            if (place >= left) {
                place -= left;
                shifts += (turn + 1) / 3;  // odd, and not fewer shifts than any lower row has
            }
        }
        return row * pitch + shifts * shift;
    }
    /// Returns the offset of the end of row `row`.
    __aicore__ inline uint32_t EndOf(uint32_t row) const { return OffsetOf(row) + pitch; }
};

/// Adds rows until one or two are left. Returns the offset of the last row; if two rows are left,
/// the first one is at 0. Each instruction halves the number of rows. The order of summation
/// depends only on the number of rows.
__aicore__ inline uint32_t SumRows(const AscendC::LocalTensor<float>& values,
                                   const RowPlaces& places) {
    uint32_t rows = places.rows;
    while (rows > 2) {
        const uint32_t upper = rows / 2;
        rows -= upper;
        AscendC::Add(values, values, values[places.OffsetOf(rows)],
                     static_cast<int32_t>(places.EndOf(upper - 1)));
        AscendC::PipeBarrier<PIPE_V>();
    }
    return places.OffsetOf(places.rows > 1 ? 1 : 0);
}

/// Sums the steps of a tile in float, for 16-bit types. One Cast converts the rows of a step and
/// puts them after the sum of the earlier steps, which is then added like one more row.
template <typename T>
class RowSum {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t elems) {
        pipe->InitBuffer(wide_, elems * sizeof(float));
    }

    /// Returns the number of rows before a step's own rows: 1 if there is a sum of earlier steps.
    __aicore__ inline static uint32_t Before(bool first) { return first ? 0 : 1; }

    __aicore__ inline void Add(const AscendC::LocalTensor<T>&, const AscendC::LocalTensor<T>& in,
                               const RowPlaces& places, bool first) {
        const AscendC::LocalTensor<float> sum = wide_.Get<float>();
        const uint32_t begin = places.OffsetOf(Before(first));
        AscendC::Cast(sum[begin], in, AscendC::RoundMode::CAST_NONE,
                      places.EndOf(places.rows - 1) - begin);
        AscendC::PipeBarrier<PIPE_V>();
        const uint32_t upper = SumRows(sum, places);
        AscendC::Add(sum, sum, sum[upper], static_cast<int32_t>(places.pitch));
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Finish(const AscendC::LocalTensor<T>& out, uint32_t elems) {
        AscendC::Cast(out, wide_.Get<float>(), AscendC::RoundMode::CAST_RINT, elems);
        AscendC::PipeBarrier<PIPE_V>();  // the next tile's first Cast overwrites the sum
    }

private:
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
};

/// Sums float rows in the buffers of the queue, and the steps in the result's buffer. The first
/// step has at least two rows, because a single slot is copied, not summed.
template <>
class RowSum<float> {
public:
    __aicore__ inline void Init(AscendC::TPipe*, uint32_t) {}

    __aicore__ inline static uint32_t Before(bool) { return 0; }

    __aicore__ inline void Add(const AscendC::LocalTensor<float>& out,
                               const AscendC::LocalTensor<float>& in, const RowPlaces& places,
                               bool first) {
        const int32_t elems = static_cast<int32_t>(places.pitch);
        const uint32_t upper = SumRows(in, places);
        if (first) {
            AscendC::Add(out, in, in[upper], elems);
        } else {
            if (places.rows > 1) {
                AscendC::Add(in[upper], in, in[upper], elems);
                AscendC::PipeBarrier<PIPE_V>();
            }
            AscendC::Add(out, out, in[upper], elems);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Finish(const AscendC::LocalTensor<float>&, uint32_t) {}
};

}  // namespace ops::MoeInitRoutingV2GradOp

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_ROW_SUM_H
