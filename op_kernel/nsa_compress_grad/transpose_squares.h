// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_TRANSPOSE_SQUARES_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_TRANSPOSE_SQUARES_H

#include "kernel_operator.h"

namespace ops::NsaCompressGradOp {

constexpr uint32_t kSquareEdge = 16;  ///< edge of a square: number of 16-bit elements in a block

/// Transposes each of `tiles` squares of 16 x 16 elements. A pitch is the distance between two rows
/// of a square, a step the distance between two squares, both in elements.
template <typename T>
__aicore__ inline void TransposeSquares(const AscendC::LocalTensor<T>& dst, uint32_t dstPitch,
                                        uint32_t dstStep, const AscendC::LocalTensor<T>& src,
                                        uint32_t srcPitch, uint32_t srcStep, uint32_t tiles) {
    // The instruction moves bits and supports half, but not bfloat16_t.
    AscendC::LocalTensor<half> to = dst.template ReinterpretCast<half>();
    AscendC::LocalTensor<half> from = src.template ReinterpretCast<half>();
    AscendC::LocalTensor<half> toRows[kSquareEdge];
    AscendC::LocalTensor<half> fromRows[kSquareEdge];
    for (uint32_t row = 0; row < kSquareEdge; ++row) {
        toRows[row] = to[row * dstPitch];
        fromRows[row] = from[row * srcPitch];
    }
    AscendC::TransDataTo5HDParams params;
    params.repeatTimes = static_cast<uint8_t>(tiles);
    params.dstRepStride = tiles > 1 ? static_cast<uint16_t>(dstStep / kSquareEdge) : 0;
    params.srcRepStride = tiles > 1 ? static_cast<uint16_t>(srcStep / kSquareEdge) : 0;
    AscendC::TransDataTo5HD<half>(toRows, fromRows, params);
}

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_TRANSPOSE_SQUARES_H
