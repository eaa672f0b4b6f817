// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TURNED_MATRIX_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TURNED_MATRIX_H

#include "../common/copy.h"
#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

constexpr uint32_t kTurnRows = 16;  ///< rows that one repeat of a transposition reads

/// A matrix in UB; `pitch` is the number of elements from row to row.
template <typename T>
struct Matrix {
    AscendC::LocalTensor<T> elems;
    uint32_t pitch;
};

/// Transposes `rows` rows and `cols` columns of `from` into `to`. `rows` is a multiple of 16,
/// `cols` a multiple of the number of elements in a block.
template <typename T>
__aicore__ inline void TurnMatrix(const Matrix<T>& to, const Matrix<T>& from, uint32_t rows,
                                  uint32_t cols) {
    // Sixteen elements of a row of `to` are one block of 16-bit elements, or two of 32-bit ones.
    constexpr uint32_t kBlocks = kTurnRows / kElemsPerBlock<T>;
    const uint32_t repeats = rows / kTurnRows;
    const uint32_t step = kTurnRows * from.pitch / kElemsPerBlock<T>;
    // The hardware adds the repeat stride even for a single repeat, which therefore has stride 0.
    const AscendC::TransDataTo5HDParams params(false, false, static_cast<uint8_t>(repeats),
                                               repeats > 1 ? kBlocks : 0,
                                               repeats > 1 ? static_cast<uint16_t>(step) : 0);
    AscendC::LocalTensor<T> dst[kTurnRows];
    AscendC::LocalTensor<T> src[kTurnRows];
    for (uint32_t col = 0; col < cols; col += kElemsPerBlock<T>) {
        for (uint32_t i = 0; i < kTurnRows; ++i) {
            src[i] = from.elems[i * from.pitch + col];
            dst[i] = to.elems[(col + i / kBlocks) * to.pitch + i % kBlocks * kElemsPerBlock<T>];
        }
        AscendC::TransDataTo5HD<T>(dst, src, params);
    }
}

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TURNED_MATRIX_H
