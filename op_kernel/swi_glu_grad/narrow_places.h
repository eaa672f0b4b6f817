// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_SWI_GLU_GRAD_NARROW_PLACES_H
#define OP_KERNEL_SWI_GLU_GRAD_NARROW_PLACES_H

#include "../common/copy.h"
#include "compute.h"
#include "kernel_operator.h"

namespace ops::SwiGluGradOp {

/// Computes the offsets with which Gather takes apart rows [a | b] of `cols` + `cols` elements, and
/// puts the rows of both results together. Element i of a is element i + row * cols of x, where
/// `row` is i / cols. Vector instructions compute all offsets at once. They divide in float, which
/// is exact enough for all numbers of elements in UB, because half an element is added first.
class NarrowPlaces {
public:
    __aicore__ inline NarrowPlaces(uint32_t cols, uint32_t elemBytes,
                                   const AscendC::LocalTensor<float>& scratch)
        : cols_(static_cast<int32_t>(cols)),
          elemBytes_(static_cast<int32_t>(elemBytes)),
          scratch_(scratch) {}

    /// Sets offsets[i] to the place of element i of a, in bytes.
    __aicore__ inline void OfInput(const AscendC::LocalTensor<int32_t>& offsets, int32_t elems) {
        const AscendC::LocalTensor<int32_t> rows = scratch_.ReinterpretCast<int32_t>();
        AscendC::CreateVecIndex(offsets, 0, static_cast<uint32_t>(elems));
        AwaitVector();
        Divide(rows, offsets, cols_, elems);
        Scale(rows, cols_, elems);
        Sum(offsets, rows, elems);
        Scale(offsets, elemBytes_, elems);
    }

    /// Sets offsets[i] to the place in the results, in bytes, of element first + i of the output.
    /// The gradients of b begin `distance` elements after those of a. With part = i / cols and
    /// row = i / (2 * cols), the place is i + part * (distance - cols) + row * (cols - 2 *
    /// distance).
    __aicore__ inline void OfOutput(const AscendC::LocalTensor<int32_t>& offsets, int32_t first,
                                    int32_t distance, int32_t elems) {
        const AscendC::LocalTensor<int32_t> parts = scratch_.ReinterpretCast<int32_t>();
        const AscendC::LocalTensor<int32_t> rows = parts[RoundUp(elems, kElemsPerBlock<float>)];
        AscendC::CreateVecIndex(offsets, first, static_cast<uint32_t>(elems));
        AwaitVector();
        Divide(parts, offsets, cols_, elems);
        Divide(rows, offsets, 2 * cols_, elems);
        Scale(parts, distance - cols_, elems);
        Scale(rows, cols_ - 2 * distance, elems);
        Sum(offsets, parts, elems);
        Sum(offsets, rows, elems);
        Scale(offsets, elemBytes_, elems);
    }

private:
    /// Sets result to numbers / divisor, rounded down.
    __aicore__ inline static void Divide(const AscendC::LocalTensor<int32_t>& result,
                                         const AscendC::LocalTensor<int32_t>& numbers,
                                         int32_t divisor, int32_t elems) {
        const AscendC::LocalTensor<float> quotients = result.ReinterpretCast<float>();
        const uint32_t count = static_cast<uint32_t>(elems);
        AscendC::Cast(quotients, numbers, AscendC::RoundMode::CAST_NONE, count);
        AwaitVector();
        AscendC::Adds(quotients, quotients, 0.5f, elems);
        AwaitVector();
        AscendC::Muls(quotients, quotients, 1.0f / static_cast<float>(divisor), elems);
        AwaitVector();
        AscendC::Cast(result, quotients, AscendC::RoundMode::CAST_FLOOR, count);
        AwaitVector();
    }
    __aicore__ inline static void Scale(const AscendC::LocalTensor<int32_t>& numbers,
                                        int32_t factor, int32_t elems) {
        AscendC::Muls(numbers, numbers, factor, elems);
        AwaitVector();
    }
    __aicore__ inline static void Sum(const AscendC::LocalTensor<int32_t>& sum,
                                      const AscendC::LocalTensor<int32_t>& numbers, int32_t elems) {
        AscendC::Add(sum, sum, numbers, elems);
        AwaitVector();
    }

    int32_t cols_;
    int32_t elemBytes_;
    AscendC::LocalTensor<float> scratch_;  ///< room for 2 * elems floats and a block
};

}  // namespace ops::SwiGluGradOp

#endif  // OP_KERNEL_SWI_GLU_GRAD_NARROW_PLACES_H
