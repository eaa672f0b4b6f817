// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_COMMON_STRIDED_WRITER_H
#define OP_KERNEL_COMMON_STRIDED_WRITER_H

#include "copy.h"
#include "kernel_operator.h"

namespace ops {

/// Writes single elements of UB to GM through any stride. A copy takes each of its rows from a
/// block of its own, so elements are first spread over blocks of 32 B.
class StridedWriter {
public:
    /// `elems`: how many one Spread takes, a multiple of 8; 0 where everything is contiguous.
    __aicore__ inline void Init(uint32_t elems, uint8_t buffers, AscendC::TPipe* pipe) {
        elems_ = elems;
        if (elems > 0) {
            pipe->InitBuffer(stage_, buffers, elems * kBlockBytes);
        }
    }

    /// elems[i], i < count, to gm[i * stride]. MTE3 may read `elems` already, and V too.
    template <typename T>
    __aicore__ inline void Write(const AscendC::GlobalTensor<T>& gm, int64_t stride,
                                 const AscendC::LocalTensor<T>& elems, uint32_t count) {
        if (stride == 1 || count == 1) {
            Store(gm, elems, count);
            return;
        }
        for (uint32_t done = 0; done < count; done += elems_) {
            const uint32_t piece = PieceOf(count - done);
            AscendC::LocalTensor<T> blocks = Spread(elems[done], piece);
            WriteBlocks(gm[done * stride], stride, blocks, piece);
            Free(blocks);
        }
    }

    /// How many of `count` elements one Spread takes.
    __aicore__ inline uint32_t PieceOf(int64_t count) const {
        return static_cast<uint32_t>(Min(count, elems_));
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
    __aicore__ inline void WriteBlocks(const AscendC::GlobalTensor<T>& gm, int64_t stride,
                                       const AscendC::LocalTensor<T>& blocks, uint32_t count) {
        StoreRows(gm, blocks, Rows(count, 1, stride));
    }

    /// One element alone.
    template <typename T>
    __aicore__ inline void WriteBlock(const AscendC::GlobalTensor<T>& gm,
                                      const AscendC::LocalTensor<T>& blocks, uint32_t index) {
        Store(gm, blocks[index * kElemsPerBlock<T>], 1);
    }

    template <typename T>
    __aicore__ inline void Free(AscendC::LocalTensor<T>& blocks) {
        stage_.FreeTensor(blocks);
    }

private:
    static constexpr uint32_t kElemsPerRepeat = 8;  ///< of Brcb

    uint32_t elems_ = 0;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> stage_;
};

}  // namespace ops

#endif  // OP_KERNEL_COMMON_STRIDED_WRITER_H
