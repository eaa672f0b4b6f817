// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NEW_OP_KERNEL_H
#define OP_KERNEL_NEW_OP_KERNEL_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../new_op_tiling.h"
#include "kernel_operator.h"

namespace ops::NewOpOp {

/// y = x. T: half, bfloat16_t or float.
template <typename T>
class Kernel {
public:
    __aicore__ inline Kernel() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const NewOpTilingData* tiling,
                                AscendC::TPipe* pipe) {
        tiling_ = *tiling;
        xGm_.SetGlobalBuffer((__gm__ T*)x, tiling_.elems);
        yGm_.SetGlobalBuffer((__gm__ T*)y, tiling_.elems);
        pipe->InitBuffer(inQueue_, kBuffers, tiling_.tileElems * sizeof(T));
        pipe->InitBuffer(outQueue_, kBuffers, tiling_.tileElems * sizeof(T));
    }

    /// With two buffers each, the next tile is on its way in while this one is computed and the one
    /// before goes out.
    __aicore__ inline void Process() {
        const Range tiles = ShareOfBlock(tiling_.tiles);
        for (int64_t tile = tiles.begin; tile < tiles.end; ++tile) {
            const int64_t first = tile * tiling_.tileElems;
            const auto elems = static_cast<uint32_t>(Min(tiling_.elems - first, tiling_.tileElems));
            CopyIn(first, elems);
            Compute(elems);
            CopyOut(first, elems);
        }
    }

private:
    static constexpr int32_t kBuffers = 2;

    __aicore__ inline void CopyIn(int64_t first, uint32_t elems) {
        AscendC::LocalTensor<T> in = inQueue_.template AllocTensor<T>();
        Load(in, xGm_[first], elems);
        inQueue_.EnQue(in);
    }

    __aicore__ inline void Compute(uint32_t elems) {
        AscendC::LocalTensor<T> in = inQueue_.template DeQue<T>();
        AscendC::LocalTensor<T> out = outQueue_.template AllocTensor<T>();
        // Copies whole blocks: nobody looks at what is behind the last element.
        AscendC::DataCopy(out, in, RoundUp(elems, kElemsPerBlock<T>));
        outQueue_.EnQue(out);
        inQueue_.FreeTensor(in);
    }

    __aicore__ inline void CopyOut(int64_t first, uint32_t elems) {
        AscendC::LocalTensor<T> out = outQueue_.template DeQue<T>();
        Store(yGm_[first], out, elems);
        outQueue_.FreeTensor(out);
    }

    NewOpTilingData tiling_;
    AscendC::GlobalTensor<T> xGm_;
    AscendC::GlobalTensor<T> yGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, kBuffers> inQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, kBuffers> outQueue_;
};

}  // namespace ops::NewOpOp

#endif  // OP_KERNEL_NEW_OP_KERNEL_H
