// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TURNED_MATRIX_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TURNED_MATRIX_H

#include "../common/copy.h"
#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

constexpr uint32_t kTurnRows = 16;  ///< rows and columns that one repeat of a transposition reads

/// A matrix of half in UB; `pitch` is the number of elements from row to row.
struct Matrix {
    AscendC::LocalTensor<half> elems;
    uint32_t pitch;
};

/// Transposes `rows` rows and `cols` columns of `from` into `to`. Both numbers are multiples of 16.
/// One instruction transposes sixteen rows or sixteen columns, whichever needs fewer instructions.
/// Only addresses change from one instruction to the next, because the scalar unit would need more
/// time for 32 new tensors than V for the instruction.
__aicore__ inline void TurnMatrix(const Matrix& to, const Matrix& from, uint32_t rows,
                                  uint32_t cols) {
    const bool byRows = rows < cols;
    const uint32_t repeats = (byRows ? cols : rows) / kTurnRows;
    const uint32_t dstStep = byRows ? to.pitch : 1;
    const uint32_t srcStep = byRows ? 1 : from.pitch;
    // The hardware adds the repeat stride even for a single repeat, which therefore has stride 0.
    const AscendC::TransDataTo5HDParams params(false, false, static_cast<uint8_t>(repeats),
                                               static_cast<uint16_t>(repeats > 1 ? dstStep : 0),
                                               static_cast<uint16_t>(repeats > 1 ? srcStep : 0));
    const uint64_t toRow = to.pitch * sizeof(half);
    const uint64_t fromRow = from.pitch * sizeof(half);
    const uint64_t dstNext = byRows ? kBlockBytes : kTurnRows * toRow;
    const uint64_t srcNext = byRows ? kTurnRows * fromRow : kBlockBytes;
    uint64_t dst[kTurnRows];
    uint64_t src[kTurnRows];
    uint64_t dstBegin = reinterpret_cast<uint64_t>(to.elems.GetPhyAddr());
    uint64_t srcBegin = reinterpret_cast<uint64_t>(from.elems.GetPhyAddr());
    const uint32_t calls = (byRows ? rows : cols) / kTurnRows;
    for (uint32_t call = 0; call < calls; ++call) {
        uint64_t dstAt = dstBegin;
        uint64_t srcAt = srcBegin;
        for (uint32_t i = 0; i < kTurnRows; ++i) {
            dst[i] = dstAt;
            src[i] = srcAt;
            dstAt += toRow;
            srcAt += fromRow;
        }
        AscendC::TransDataTo5HD<half>(dst, src, params);
        dstBegin += dstNext;
        srcBegin += srcNext;
    }
}

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TURNED_MATRIX_H
