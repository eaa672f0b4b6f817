// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_COMMON_STRIDED_WRITER_H
#define OP_KERNEL_COMMON_STRIDED_WRITER_H

#include "copy.h"
#include "kernel_operator.h"

namespace ops {

/// Writes single elements of UB to GM with any stride. A copy reads each of its rows from a
/// separate block, so the elements are first spread over blocks of 32 B.
class StridedWriter {
public:
    /// `elems` is the number of elements that one Spread() processes, a multiple of 8; 0 if all
    /// outputs are contiguous.
    __aicore__ inline void Init(uint32_t elems, uint8_t buffers, AscendC::TPipe* pipe) {
        elems_ = elems;
        if (elems > 0) {
            pipe->InitBuffer(stage_, buffers, elems * kBlockBytes);
        }
    }

    /// Writes elems[i] to gm[i * stride] for i < count. The caller ensures that V has finished
    /// writing `elems`.
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

    /// Returns how many of `count` elements one Spread() can process.
    __aicore__ inline uint32_t PieceOf(int64_t count) const {
        return static_cast<uint32_t>(Min(count, elems_));
    }

    /// Copies each of `count` elements to the start of a block, which MTE3 may read until Free().
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

    /// Writes the element that Spread() has put into block `index`.
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
    static constexpr uint32_t kElemsPerRepeat = 8;  ///< elements of a repeat of Brcb

    uint32_t elems_ = 0;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> stage_;
};

}  // namespace ops

#endif  // OP_KERNEL_COMMON_STRIDED_WRITER_H
