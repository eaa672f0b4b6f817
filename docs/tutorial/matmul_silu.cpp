// SPDX-License-Identifier: Apache-2.0
// C = silu(A B) of cube and vector cores: docs/tutorial/06-matmul-with-an-epilogue.md
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

// Flags between the cube core and its two vector cores.
constexpr uint16_t kFull = 0;  // set for the vector cores: a slot contains a tile of A B
constexpr uint16_t kFree = 1;  // set for the cube core: both vector cores have read the slot
// Number of tiles in the workspace at a time.
constexpr int32_t kSlots = 2;

/// The tiles of C; the blocks take them in turn. Cube and vector cores use the same order.
class Tiles {
public:
    __aicore__ inline explicit Tiles(const TCubeTiling& tiling, int32_t block)
        : m_(tiling.M),
          n_(tiling.N),
          baseM_(tiling.baseM),
          baseN_(tiling.baseN),
          tilesM_((m_ + baseM_ - 1) / baseM_),
          tiles_(tilesM_ * ((n_ + baseN_ - 1) / baseN_)),
          tile_(block) {}

    __aicore__ inline bool Has() const { return tile_ < tiles_; }
    __aicore__ inline void Next() {
        tile_ += GetBlockNum();
        ++done_;
    }
    __aicore__ inline int32_t Done() const { return done_; }
    __aicore__ inline int32_t Slot() const { return done_ % kSlots; }
    __aicore__ inline int32_t Row() const { return tile_ % tilesM_ * baseM_; }
    __aicore__ inline int32_t Col() const { return tile_ / tilesM_ * baseN_; }
    __aicore__ inline int32_t Rows() const { return m_ - Row() < baseM_ ? m_ - Row() : baseM_; }
    __aicore__ inline int32_t Cols() const { return n_ - Col() < baseN_ ? n_ - Col() : baseN_; }

private:
    int32_t m_;
    int32_t n_;
    int32_t baseM_;
    int32_t baseN_;
    int32_t tilesM_;
    int32_t tiles_;
    int32_t tile_;
    int32_t done_ = 0;
};

/// The cube core's part: it writes A B, tile by tile, as floats into the slots.
template <typename T>
__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR b, GM_ADDR slots, const TCubeTiling& tiling) {
    using Operand = MatmulType<TPosition::GM, CubeFormat::ND, T>;
    using Result = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    TPipe pipe;
    MatmulImpl<Operand, Operand, Result, Result, CFG_MDL> product;
    product.SetSubBlockIdx(0);
    product.Init(&tiling, &pipe);
    // A slot is a separate matrix: its rows are baseN floats apart.
    product.SetOrgShape(tiling.M, tiling.N, tiling.Ka, tiling.Ka, tiling.baseN);
    const uint64_t k = tiling.Ka;
    const uint64_t slotElems = tiling.baseM * tiling.baseN;
    GlobalTensor<T> aGm;
    GlobalTensor<T> bGm;
    GlobalTensor<float> slotsGm;
    aGm.SetGlobalBuffer((__gm__ T*)a, tiling.M * k);
    bGm.SetGlobalBuffer((__gm__ T*)b, tiling.N * k);
    slotsGm.SetGlobalBuffer((__gm__ float*)slots + GetBlockIdx() * kSlots * slotElems,
                            kSlots * slotElems);

    Tiles tiles(tiling, GetBlockIdx());
    for (; tiles.Has(); tiles.Next()) {
        if (tiles.Done() >= kSlots) {
            CrossCoreWaitFlag(kFree);
        }
        product.SetTensorA(aGm[tiles.Row() * k]);
        product.SetTensorB(bGm[tiles.Col()]);
        product.SetSingleShape(tiles.Rows(), tiles.Cols(), tiling.Ka);
        product.IterateAll(slotsGm[tiles.Slot() * slotElems]);
        CrossCoreSetFlag<2, PIPE_FIX>(kFull);
    }
    for (int32_t slot = 0; slot < kSlots && slot < tiles.Done(); ++slot) {
        CrossCoreWaitFlag(kFree);  // a flag that is left set would affect the next kernel
    }
    product.End();
}

/// The vector core's part: it computes silu of the upper or the lower half of each tile.
template <typename T>
class Epilogue {
public:
    __aicore__ inline void Init(GM_ADDR c, GM_ADDR slots, const TCubeTiling* tiling, TPipe* pipe) {
        tiling_ = tiling;
        block_ = GetBlockIdx() / GetTaskRation();
        slotElems_ = tiling->baseM * tiling->baseN;
        cGm_.SetGlobalBuffer((__gm__ T*)c, static_cast<uint64_t>(tiling->M) * tiling->N);
        slotsGm_.SetGlobalBuffer((__gm__ float*)slots + block_ * kSlots * slotElems_,
                                 kSlots * slotElems_);
        pipe->InitBuffer(inQueue_, kBuffers, kChunkElems * sizeof(float));
        pipe->InitBuffer(outQueue_, kBuffers, kChunkElems * sizeof(T));
        pipe->InitBuffer(divisor_, kChunkElems * sizeof(float));
    }

    __aicore__ inline void Process() {
        const int32_t chunkRows = kChunkElems / tiling_->baseN;
        for (Tiles tiles(*tiling_, block_); tiles.Has(); tiles.Next()) {
            CrossCoreWaitFlag(kFull);
            const int32_t half = (tiles.Rows() + 1) / 2;
            const int32_t end = GetSubBlockIdx() == 0 ? half : tiles.Rows();
            for (int32_t row = GetSubBlockIdx() * half; row < end; row += chunkRows) {
                const int32_t rows = end - row < chunkRows ? end - row : chunkRows;
                CopyIn(tiles, row, rows);
                Compute(rows * tiles.Cols());
                CopyOut(tiles, row, rows);
            }
            // This core sets the flag even if it had no row: the cube core waits for both cores.
            CrossCoreSetFlag<2, PIPE_MTE2>(kFree);
        }
    }

private:
    static constexpr int32_t kBuffers = 2;
    static constexpr int32_t kChunkElems = 8192;

    __aicore__ inline void CopyIn(const Tiles& tiles, int32_t row, int32_t rows) {
        const uint32_t gap = (tiling_->baseN - tiles.Cols()) * sizeof(float);
        LocalTensor<float> x = inQueue_.AllocTensor<float>();
        DataCopyPad(x, slotsGm_[tiles.Slot() * slotElems_ + row * tiling_->baseN],
                    DataCopyExtParams(rows, tiles.Cols() * sizeof(float), gap, 0, 0),
                    DataCopyPadExtParams<float>(false, 0, 0, 0));
        inQueue_.EnQue(x);
    }

    /// silu(x) = x / (1 + exp(-x))
    __aicore__ inline void Compute(int32_t elems) {
        LocalTensor<float> x = inQueue_.DeQue<float>();
        LocalTensor<float> divisor = divisor_.Get<float>();
        Muls(divisor, x, -1.0f, elems);
        PipeBarrier<PIPE_V>();
        Exp(divisor, divisor, elems);
        PipeBarrier<PIPE_V>();
        Adds(divisor, divisor, 1.0f, elems);
        PipeBarrier<PIPE_V>();
        Div(x, x, divisor, elems);
        PipeBarrier<PIPE_V>();
        LocalTensor<T> out = outQueue_.AllocTensor<T>();
        Cast(out, x, RoundMode::CAST_RINT, elems);
        outQueue_.EnQue(out);
        inQueue_.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(const Tiles& tiles, int32_t row, int32_t rows) {
        const uint64_t n = tiling_->N;
        const uint32_t gap = (n - tiles.Cols()) * sizeof(T);
        LocalTensor<T> out = outQueue_.DeQue<T>();
        DataCopyPad(cGm_[(tiles.Row() + row) * n + tiles.Col()], out,
                    DataCopyExtParams(rows, tiles.Cols() * sizeof(T), 0, gap, 0));
        outQueue_.FreeTensor(out);
    }

    const TCubeTiling* tiling_ = nullptr;
    int64_t block_ = 0;
    uint64_t slotElems_ = 0;
    GlobalTensor<T> cGm_;
    GlobalTensor<float> slotsGm_;
    TQue<TPosition::VECIN, kBuffers> inQueue_;
    TQue<TPosition::VECOUT, kBuffers> outQueue_;
    TBuf<TPosition::VECCALC> divisor_;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR slots,
                           const TCubeTiling& tiling) {
    if ASCEND_IS_AIC {
        Multiply<T>(a, b, slots, tiling);
    }
    if ASCEND_IS_AIV {
        TPipe pipe;
        Epilogue<T> epilogue;
        epilogue.Init(c, slots, &tiling, &pipe);
        epilogue.Process();
    }
}

extern "C" __global__ __aicore__ void matmul_silu_half(GM_ADDR a, GM_ADDR b, GM_ADDR c,
                                                       GM_ADDR workspace, GM_ADDR data) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, tiling, data);
    Run<half>(a, b, c, GetUserWorkspace(workspace), tiling);
}

extern "C" __global__ __aicore__ void matmul_silu_bf16(GM_ADDR a, GM_ADDR b, GM_ADDR c,
                                                       GM_ADDR workspace, GM_ADDR data) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, tiling, data);
    Run<bfloat16_t>(a, b, c, GetUserWorkspace(workspace), tiling);
}
