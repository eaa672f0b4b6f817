// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_ELEM_WRITER_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_ELEM_WRITER_H

#include "common.h"

namespace MoeTokenPermute {

/// Writes elements of UB to GM through any stride. A copy takes each of its runs from a block of
/// its own, so elements are first spread over blocks of 32 B.
class ElemWriter {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe) {
        pipe->InitBuffer(stage_, 2, MOE_TOKEN_PERMUTE_STAGE * kBlockBytes);
    }

    /// elems[i], i < count, to gm[offset + i * stride]. MTE3 may read `elems` already, and V too.
    template <typename T>
    __aicore__ inline void Write(const AscendC::GlobalTensor<T>& gm, int64_t offset, int64_t stride,
                                 const AscendC::LocalTensor<T>& elems, uint32_t count) {
        if (stride == 1 || count == 1) {
            AscendC::DataCopyPad(gm[offset], elems, Runs(1, count * sizeof(T), 0, false));
            return;
        }
        for (uint32_t done = 0; done < count; done += MOE_TOKEN_PERMUTE_STAGE) {
            const uint32_t piece = PieceOf(count - done);
            AscendC::LocalTensor<T> blocks = Spread(elems[done], piece);
            WriteBlocks(gm, offset + done * stride, stride, blocks, piece);
            Free(blocks);
        }
    }

    /// How many of `count` elements one Spread takes.
    __aicore__ inline uint32_t PieceOf(int64_t count) const {
        return static_cast<uint32_t>(Smaller(count, MOE_TOKEN_PERMUTE_STAGE));
    }

    /// Each of `count` elements at the head of a block, ready for MTE3, until Free.
    template <typename T>
    __aicore__ inline AscendC::LocalTensor<T> Spread(const AscendC::LocalTensor<T>& elems,
                                                     uint32_t count) {
        AscendC::LocalTensor<T> blocks = stage_.AllocTensor<T>();
        AscendC::Brcb(blocks, elems, static_cast<uint8_t>(CeilDiv(count, kElemsPerRepeat)), {1, 8});
        stage_.EnQue(blocks);
        return stage_.DeQue<T>();
    }

    template <typename T>
    __aicore__ inline void WriteBlocks(const AscendC::GlobalTensor<T>& gm, int64_t offset,
                                       int64_t stride, const AscendC::LocalTensor<T>& blocks,
                                       uint32_t count) {
        const int64_t gap = (stride - 1) * static_cast<int64_t>(sizeof(T));
        if (gap >= 0 && gap <= UINT32_MAX) {
            AscendC::DataCopyPad(gm[offset], blocks, Runs(count, sizeof(T), gap, false));
            return;
        }
        for (uint32_t i = 0; i < count; ++i) {
            WriteBlock(gm, offset + i * stride, blocks, i);
        }
    }

    /// One element alone.
    template <typename T>
    __aicore__ inline void WriteBlock(const AscendC::GlobalTensor<T>& gm, int64_t offset,
                                      const AscendC::LocalTensor<T>& blocks, uint32_t index) {
        AscendC::DataCopyPad(gm[offset], blocks[index * (kBlockBytes / sizeof(T))],
                             Runs(1, sizeof(T), 0, false));
    }

    template <typename T>
    __aicore__ inline void Free(AscendC::LocalTensor<T>& blocks) {
        stage_.FreeTensor(blocks);
    }

private:
    static constexpr int64_t kElemsPerRepeat = 8;

    AscendC::TQue<AscendC::TPosition::VECOUT, 2> stage_;
};

}  // namespace MoeTokenPermute

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_ELEM_WRITER_H
