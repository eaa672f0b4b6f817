// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_LAYOUT_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_LAYOUT_H

#include "kernel_operator.h"

namespace NsaCompressGradOp {

constexpr uint32_t BLOCK_BYTES = 32;
constexpr uint32_t TILE_EDGE = 16;  ///< 16-bit elements of a block, rows of a transposition

/// A row of `tiles` squares of 16 x 16 elements, each transposed. Pitches are elements between the
/// rows of a square, steps those between squares.
template <typename T>
__aicore__ inline void TransposeSquares(const AscendC::LocalTensor<T>& dst, uint32_t dstPitch,
                                        uint32_t dstStep, const AscendC::LocalTensor<T>& src,
                                        uint32_t srcPitch, uint32_t srcStep, uint32_t tiles) {
    // The instruction moves bits and knows half, but not bfloat16_t.
    AscendC::LocalTensor<half> to = dst.template ReinterpretCast<half>();
    AscendC::LocalTensor<half> from = src.template ReinterpretCast<half>();
    AscendC::LocalTensor<half> toRows[TILE_EDGE];
    AscendC::LocalTensor<half> fromRows[TILE_EDGE];
    for (uint32_t row = 0; row < TILE_EDGE; ++row) {
        toRows[row] = to[row * dstPitch];
        fromRows[row] = from[row * srcPitch];
    }
    AscendC::TransDataTo5HDParams params;
    params.repeatTimes = static_cast<uint8_t>(tiles);
    params.dstRepStride = tiles > 1 ? static_cast<uint16_t>(dstStep / TILE_EDGE) : 0;
    params.srcRepStride = tiles > 1 ? static_cast<uint16_t>(srcStep / TILE_EDGE) : 0;
    AscendC::TransDataTo5HD<half>(toRows, fromRows, params);
}

/// Writes to GM with any stride.
template <typename T>
class StridedWriter {
public:
    /// `elems`: most elements of one call of WriteElements; 0 when there is none.
    __aicore__ inline void Init(uint32_t elems, AscendC::TPipe* pipe) {
        if (elems > 0) {
            pipe->InitBuffer(spread_, 1, elems * BLOCK_BYTES);
        }
    }

    /// Runs of `length` elements, the next one `stride` elements on in GM and `gapBlocks` blocks
    /// behind the end of the one before in UB.
    __aicore__ inline void WriteRuns(const AscendC::GlobalTensor<T>& gm,
                                     const AscendC::LocalTensor<T>& src, uint32_t runs,
                                     uint32_t length, uint32_t gapBlocks, int64_t stride) {
        const int64_t gapBytes = (stride - length) * static_cast<int64_t>(sizeof(T));
        const uint32_t bytes = length * sizeof(T);
        if (gapBytes >= 0 && gapBytes <= UINT32_MAX) {
            const AscendC::DataCopyExtParams all(static_cast<uint16_t>(runs), bytes, gapBlocks,
                                                 static_cast<uint32_t>(gapBytes), 0);
            AscendC::DataCopyPad(gm, src, all);
            return;
        }
        const AscendC::DataCopyExtParams one(1, bytes, 0, 0, 0);
        const uint32_t pitch =
            (CeilBlocks(bytes) + gapBlocks) * static_cast<uint32_t>(BLOCK_BYTES / sizeof(T));
        for (uint32_t run = 0; run < runs; ++run) {
            AscendC::DataCopyPad(gm[run * stride], src[run * pitch], one);
        }
    }

    /// `count` elements, a multiple of 16, that are neighbours in UB and `stride` apart in GM.
    __aicore__ inline void WriteElements(const AscendC::GlobalTensor<T>& gm,
                                         const AscendC::LocalTensor<T>& src, uint32_t count,
                                         int64_t stride) {
        AscendC::LocalTensor<T> spread = spread_.template AllocTensor<T>();
        AscendC::Brcb(spread, src, static_cast<uint8_t>(count / 8), {1, 8});
        spread_.EnQue(spread);
        spread = spread_.template DeQue<T>();
        WriteRuns(gm, spread, count, 1, 0, stride);
        spread_.FreeTensor(spread);
    }

private:
    __aicore__ static inline uint32_t CeilBlocks(uint32_t bytes) {
        return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    }

    AscendC::TQue<AscendC::TPosition::VECOUT, 1> spread_;  ///< one element per block
};

}  // namespace NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_LAYOUT_H
