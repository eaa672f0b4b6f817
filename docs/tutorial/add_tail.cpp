// SPDX-License-Identifier: Apache-2.0
// z = x + y for any number of elements: docs/tutorial/01-add-with-a-tail.md
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class AddTail {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t elems, TPipe* pipe) {
        elems_ = elems;
        xGm_.SetGlobalBuffer((__gm__ T*)x, elems);
        yGm_.SetGlobalBuffer((__gm__ T*)y, elems);
        zGm_.SetGlobalBuffer((__gm__ T*)z, elems);
        pipe->InitBuffer(xQueue_, kBuffers, kTileBytes);
        pipe->InitBuffer(yQueue_, kBuffers, kTileBytes);
        pipe->InitBuffer(zQueue_, kBuffers, kTileBytes);
    }

    __aicore__ inline void Process() {
        for (uint32_t tile = GetBlockIdx(); tile * kTileElems < elems_; tile += GetBlockNum()) {
            const uint32_t begin = tile * kTileElems;
            const uint32_t count = elems_ - begin < kTileElems ? elems_ - begin : kTileElems;
            CopyIn(begin, count);
            Compute(count);
            CopyOut(begin, count);
        }
    }

private:
    static constexpr int32_t kBuffers = 2;  // one buffer is filled while the other is read
    static constexpr uint32_t kTileBytes = 16 * 1024;
    static constexpr uint32_t kTileElems = kTileBytes / sizeof(T);

    __aicore__ inline void CopyIn(uint32_t begin, uint32_t count) {
        const DataCopyExtParams run(1, count * sizeof(T), 0, 0, 0);
        const DataCopyPadExtParams<T> noPadding(false, 0, 0, 0);
        LocalTensor<T> x = xQueue_.AllocTensor<T>();
        DataCopyPad(x, xGm_[begin], run, noPadding);
        xQueue_.EnQue(x);
        LocalTensor<T> y = yQueue_.AllocTensor<T>();
        DataCopyPad(y, yGm_[begin], run, noPadding);
        yQueue_.EnQue(y);
    }

    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> x = xQueue_.DeQue<T>();
        LocalTensor<T> y = yQueue_.DeQue<T>();
        LocalTensor<T> z = zQueue_.AllocTensor<T>();
        Add(z, x, y, count);
        zQueue_.EnQue(z);
        xQueue_.FreeTensor(x);
        yQueue_.FreeTensor(y);
    }

    __aicore__ inline void CopyOut(uint32_t begin, uint32_t count) {
        LocalTensor<T> z = zQueue_.DeQue<T>();
        DataCopyPad(zGm_[begin], z, DataCopyExtParams(1, count * sizeof(T), 0, 0, 0));
        zQueue_.FreeTensor(z);
    }

    uint32_t elems_ = 0;
    GlobalTensor<T> xGm_;
    GlobalTensor<T> yGm_;
    GlobalTensor<T> zGm_;
    TQue<TPosition::VECIN, kBuffers> xQueue_;
    TQue<TPosition::VECIN, kBuffers> yQueue_;
    TQue<TPosition::VECOUT, kBuffers> zQueue_;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t elems) {
    TPipe pipe;
    AddTail<T> kernel;
    kernel.Init(x, y, z, elems, &pipe);
    kernel.Process();
}

extern "C" __global__ __aicore__ void add_half(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t elems) {
    Run<half>(x, y, z, elems);
}

extern "C" __global__ __aicore__ void add_float(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t elems) {
    Run<float>(x, y, z, elems);
}

extern "C" __global__ __aicore__ void add_int32(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t elems) {
    Run<int32_t>(x, y, z, elems);
}
