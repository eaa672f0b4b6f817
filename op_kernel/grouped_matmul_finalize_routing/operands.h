// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_OPERANDS_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_OPERANDS_H

#include "../common/integers.h"
#include "kernel_operator.h"
#include "tiles.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// The operands in L0A and L0B, each in two buffers: MTE1 loads one while M reads the other.
class Operands {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe) {
        pipe->InitBuffer(l0a_, 2 * kHalfBytes);
        pipe->InitBuffer(l0b_, 2 * kHalfBytes);
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent);
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent + 1);
    }

    __aicore__ inline void Finish() {
        AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent);
        AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent + 1);
    }

    __aicore__ inline void Begin() {
        half_ = 1 - half_;
        AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent + half_);
    }

    /// Copies `rows` rows of `k` digits from GM to a block in L1. Writes 16 rows at a time, fractal
    /// by fractal, as Mmad reads them. Sizes count words of 4 B, because they have 16 bits.
    __aicore__ inline static void CopyDigits(const AscendC::LocalTensor<int8_t>& block,
                                             const AscendC::GlobalTensor<int8_t>& digits,
                                             uint32_t rows, uint32_t k, uint32_t pitchBytes) {
        constexpr uint32_t kWord = sizeof(int32_t);
        const uint32_t stride = kRowsPerFractal * pitchBytes / kWord;
        AscendC::Nd2NzParams params;
        params.dValue = static_cast<uint16_t>(k / 2 / kWord);
        params.srcDValue = static_cast<uint16_t>(pitchBytes / kWord);
        params.srcNdMatrixStride = static_cast<uint16_t>(stride);
        params.dstNzC0Stride = kRowsPerFractal;
        params.dstNzNStride = 1;
        params.dstNzMatrixStride = static_cast<uint16_t>(kRowsPerFractal * k / 2 / kWord);
        for (uint32_t row = 0; row < rows; row += params.ndNum * kRowsPerFractal) {
            const uint32_t whole = (rows - row) / kRowsPerFractal;
            params.nValue = static_cast<uint16_t>(Min(rows - row, kRowsPerFractal));
            params.ndNum = static_cast<uint16_t>(whole > 1 && stride <= kMaxStride ? whole : 1);
            AscendC::GlobalTensor<int32_t> from;
            from.SetGlobalBuffer((__gm__ int32_t*)digits[row * pitchBytes].GetPhyAddr());
            AscendC::DataCopy(block[row * k / 2].ReinterpretCast<int32_t>(), from, params);
        }
    }

    /// Loads columns [first, first + k) of an L1 block into L0A. CopyDigits() has filled the block,
    /// which has `blockK` columns and `digitRows` rows, a multiple of 16.
    __aicore__ inline void LoadDigits(const AscendC::LocalTensor<int8_t>& block, uint32_t blockK,
                                      uint32_t first, uint32_t k, uint32_t digitRows) {
        const uint32_t fractals = digitRows / kRowsPerFractal;
        const uint32_t loads = k == blockK ? 1 : fractals;
        const uint32_t repeats = fractals / loads * (k / kSquare);
        AscendC::LoadData2DParams params;
        params.repeatTimes = static_cast<uint8_t>(repeats);
        params.srcStride = 1;
        const AscendC::LocalTensor<int8_t> to = l0a_.Get<int8_t>()[half_ * kHalfBytes];
        const AscendC::LocalTensor<AscendC::int4b_t> from =
            block.ReinterpretCast<AscendC::int4b_t>();
        for (uint32_t i = 0; i < loads; ++i) {
            params.startIndex = static_cast<uint16_t>((i * blockK + first) / kSquare);
            AscendC::LoadData(to[i * repeats * kFractalBytes].ReinterpretCast<AscendC::int4b_t>(),
                              from, params);
        }
    }

    /// Loads weights into L0B: `k` rows from row `first` on, `cols` columns from column `col` on,
    /// of a chunk with `chunkK` rows. Transposes squares of 64 x 64 on the way, with as few
    /// instructions as possible.
    __aicore__ inline void LoadWeights(const AscendC::LocalTensor<int8_t>& chunk, uint32_t chunkK,
                                       uint32_t first, uint32_t k, uint32_t col, uint32_t cols) {
        const uint32_t down = k / kSquare;
        const uint32_t across = cols / kSquare;
        const uint32_t stripe = chunkK / kSquare;
        const uint32_t start = col / kSquare * stripe + first / kSquare;
        const bool alongK = across < down;
        AscendC::LoadData2dTransposeParams params;
        params.repeatTimes = static_cast<uint8_t>(alongK ? down : across);
        params.srcStride = static_cast<uint16_t>(alongK ? 1 : stripe);
        params.dstGap = static_cast<uint16_t>((alongK ? across : 1) * kFractalsPerSquare - 1);
        const AscendC::LocalTensor<int8_t> to = l0b_.Get<int8_t>()[half_ * kHalfBytes];
        const AscendC::LocalTensor<AscendC::int4b_t> from =
            chunk.ReinterpretCast<AscendC::int4b_t>();
        const uint32_t step = (alongK ? 1 : across) * kFractalsPerSquare * kFractalBytes;
        for (uint32_t i = 0; i < (alongK ? across : down); ++i) {
            params.startIndex = static_cast<uint16_t>(start + i * (alongK ? stripe : 1));
            AscendC::LoadDataWithTranspose(to[i * step].ReinterpretCast<AscendC::int4b_t>(), from,
                                           params);
        }
    }

    /// Computes sums = digits * weights if `first`, otherwise sums += digits * weights.
    __aicore__ inline void Multiply(const AscendC::LocalTensor<int32_t>& sums, uint32_t rows,
                                    uint32_t cols, uint32_t k, bool first) {
        AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(half_);
        AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(half_);
        AscendC::MmadParams params;
        params.m = static_cast<uint16_t>(rows);
        params.n = static_cast<uint16_t>(cols);
        params.k = static_cast<uint16_t>(k);
        params.cmatrixInitVal = first;
        AscendC::Mmad(
            sums, l0a_.Get<int8_t>()[half_ * kHalfBytes].ReinterpretCast<AscendC::int4b_t>(),
            l0b_.Get<int8_t>()[half_ * kHalfBytes].ReinterpretCast<AscendC::int4b_t>(), params);
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kFirstEvent + half_);
        // The cube unit by itself orders additions to the same sums only if the sums have enough
        // fractals.
        if (CeilDiv(rows, kRowsPerFractal) * (cols / kRowsPerFractal) < kFractalsInOrder) {
            AscendC::PipeBarrier<PIPE_M>();
        }
    }

private:
    static constexpr uint32_t kHalfBytes = 32 * 1024;
    static constexpr uint32_t kSquare = kColsPerSquare;
    static constexpr uint32_t kFractalBytes = 512;
    static constexpr uint32_t kFractalsPerSquare = 4;
    static constexpr uint32_t kFractalsInOrder = 10;
    static constexpr uint32_t kMaxStride = 65535;
    static constexpr int32_t kFirstEvent = 3;  ///< event ids 0 to 2 belong to the library

    AscendC::TBuf<AscendC::TPosition::A2> l0a_;
    AscendC::TBuf<AscendC::TPosition::B2> l0b_;
    uint32_t half_ = 0;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_OPERANDS_H
