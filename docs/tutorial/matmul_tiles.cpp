// SPDX-License-Identifier: Apache-2.0
// C = A B on several cube cores, cut by the host: docs/tutorial/05-tiled-matmul.md
#include "kernel_operator.h"
#define ASCENDC_CUBE_ONLY
#include "lib/matmul_intf.h"

using namespace AscendC;

/// This block's share of C: singleCoreM x singleCoreN elements, fewer at the edges.
struct Share {
    int32_t row;
    int32_t col;
    int32_t rows;
    int32_t cols;

    __aicore__ inline explicit Share(const TCubeTiling& tiling) {
        const int32_t sharesM = (tiling.M + tiling.singleCoreM - 1) / tiling.singleCoreM;
        const int32_t block = GetBlockIdx();
        row = block % sharesM * tiling.singleCoreM;
        col = block / sharesM * tiling.singleCoreN;
        rows = tiling.M - row < tiling.singleCoreM ? tiling.M - row : tiling.singleCoreM;
        cols = tiling.N - col < tiling.singleCoreN ? tiling.N - col : tiling.singleCoreN;
    }
};

template <typename T>
__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR b, GM_ADDR c, const TCubeTiling& tiling) {
    TPipe pipe;
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, T>,
           MatmulType<TPosition::GM, CubeFormat::ND, T>,
           MatmulType<TPosition::GM, CubeFormat::ND, float>,
           MatmulType<TPosition::GM, CubeFormat::ND, float>, CFG_MDL>
        product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    if (GetBlockIdx() >= tiling.usedCoreNum) {
        return;
    }
    GlobalTensor<T> aGm;
    GlobalTensor<T> bGm;
    GlobalTensor<float> cGm;
    const uint64_t m = tiling.M;
    const uint64_t n = tiling.N;
    const uint64_t k = tiling.Ka;
    aGm.SetGlobalBuffer((__gm__ T*)a, m * k);
    bGm.SetGlobalBuffer((__gm__ T*)b, k * n);
    cGm.SetGlobalBuffer((__gm__ float*)c, m * n);

    const Share share(tiling);
    product.SetTensorA(aGm[share.row * k]);
    product.SetTensorB(bGm[share.col]);
    product.SetTail(share.rows, share.cols);
    product.IterateAll(cGm[share.row * n + share.col]);
    product.End();
}

extern "C" __global__ __aicore__ void matmul_half(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR data) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, tiling, data);
    Multiply<half>(a, b, c, tiling);
}

extern "C" __global__ __aicore__ void matmul_bf16(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR data) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, tiling, data);
    Multiply<bfloat16_t>(a, b, c, tiling);
}
