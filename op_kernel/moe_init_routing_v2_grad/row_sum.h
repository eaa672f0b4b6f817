// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_ROW_SUM_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_ROW_SUM_H

#include "../common/integers.h"
#include "../moe_init_routing_v2_grad_tiling.h"
#include "kernel_operator.h"

namespace ops::MoeInitRoutingV2GradOp {

/// Offsets in UB of `rows` rows that are to be added. Each round adds the upper rows to as many
/// lower rows. The offset of an upper row is larger than that of its lower row by a multiple of the
/// pitch and an odd multiple of `shift`. So the two sources of an addition never use the same group
/// of banks, if the pitch is a multiple of kRowUnit and the shift is kUbShiftFloats. The upper rows
/// have the same gaps as the lower rows, so one instruction adds all upper rows. Example: 8 rows
/// move by 0, 1, 1, 2, 3, 4, 4, 5 shifts.
class RowPlaces {
public:
    uint32_t rows = 0;
    uint32_t pitch = 0;  ///< distance from row to row, in floats
    uint32_t shift = 0;  ///< unit of additional distances, in floats

    __aicore__ inline RowPlaces() {}
    /// Sets the number of rows, and finds the shifts of the lower rows once for all steps.
    __aicore__ inline explicit RowPlaces(uint32_t rowCount) : rows(rowCount) {
        for (uint32_t row = 0; row < Min(rows / 2, kKept); ++row) {
            shifts_[row] = static_cast<uint16_t>(FindShifts(row));
        }
        kept_ = Min(rows / 2, kKept);
    }

    __aicore__ inline uint32_t OffsetOf(uint32_t row) const {
        return row * pitch + (row < kept_ ? shifts_[row] : FindShifts(row)) * shift;
    }
    /// Returns the offset of the end of row `row`.
    __aicore__ inline uint32_t EndOf(uint32_t row) const { return OffsetOf(row) + pitch; }
    /// Returns the offset of the first upper row, which is row `left`, in round `round`.
    __aicore__ inline uint32_t UpperOffset(uint32_t left, uint32_t round) const {
        return left * pitch + ShiftsOfRound(round) * shift;
    }
    /// Returns the distance between two rows that the first round adds.
    __aicore__ inline uint32_t PairDistance() const {
        return UpperOffset(rows - rows / 2, FirstRound());
    }
    /// Returns the number of the first round: a round is numbered by the smallest power of two that
    /// is not below its number of rows.
    __aicore__ inline uint32_t FirstRound() const {
        uint32_t round = 1;
        while (round < rows) {
            round *= 2;
        }
        return round;
    }

private:
    static constexpr uint32_t kKept = 32;  ///< largest number of rows whose shifts are kept

    /// Returns the shifts of the upper rows of a round: an odd number that is not smaller than the
    /// shifts of any lower row.
    __aicore__ inline static uint32_t ShiftsOfRound(uint32_t round) { return (round + 1) / 3; }

    __aicore__ inline uint32_t FindShifts(uint32_t row) const {
        uint32_t round = FirstRound();
        uint32_t shifts = rows == 1 ? 1 : 0;  // a single row is added to an unshifted sum
        uint32_t place = row;
        for (uint32_t left = rows; left > 1; round /= 2) {
            left -= left / 2;
            if (place >= left) {
                place -= left;
                shifts += ShiftsOfRound(round);
            }
        }
        return shifts;
    }

    uint32_t kept_ = 0;
    uint16_t shifts_[kKept];
};

/// Adds rows until one or two are left. Returns the offset of the last row; if two rows are left,
/// the first one is at 0. Each instruction halves the number of rows. The order of summation
/// depends only on the number of rows.
__aicore__ inline uint32_t SumRows(const AscendC::LocalTensor<float>& values,
                                   const RowPlaces& places) {
    uint32_t rows = places.rows;
    if (rows == 1) {
        return places.OffsetOf(0);
    }
    uint32_t round = places.FirstRound();
    for (; rows > 2; round /= 2) {
        const uint32_t upper = rows / 2;
        rows -= upper;
        AscendC::Add(values, values, values[places.UpperOffset(rows, round)],
                     static_cast<int32_t>(places.EndOf(upper - 1)));
        AscendC::PipeBarrier<PIPE_V>();
    }
    return places.UpperOffset(1, round);
}

/// Adds the rows of a step in `values`, and, except in a tile's first step, the sum of the earlier
/// steps in `total`. Writes the sum to `total`, which starts in the same group of banks as
/// `values`. The first step has at least two rows, because a single slot is copied, not summed.
__aicore__ inline void SumStep(const AscendC::LocalTensor<float>& total,
                               const AscendC::LocalTensor<float>& values, const RowPlaces& places,
                               bool first) {
    const int32_t elems = static_cast<int32_t>(places.pitch);
    const uint32_t upper = SumRows(values, places);
    if (first) {
        AscendC::Add(total, values, values[upper], elems);
    } else {
        if (places.rows > 1) {
            AscendC::Add(values[upper], values, values[upper], elems);
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::Add(total, total, values[upper], elems);
    }
    AscendC::PipeBarrier<PIPE_V>();
}

}  // namespace ops::MoeInitRoutingV2GradOp

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_ROW_SUM_H
