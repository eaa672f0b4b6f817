// SPDX-License-Identifier: Apache-2.0
// Computes C = A x B for matrices of half with the high-level Matmul; B is transposed. The macro
// CONFIG is CFG_NORM or CFG_MDL.
#include "kernel_operator.h"
#define ASCENDC_CUBE_ONLY
#include "lib/matmul_intf.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void multiply(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR data) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, tiling, data);
    TPipe pipe;
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>,
           MatmulType<TPosition::GM, CubeFormat::ND, half, true>,
           MatmulType<TPosition::GM, CubeFormat::ND, half>,
           MatmulType<TPosition::GM, CubeFormat::ND, half>, CONFIG>
        product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    const int64_t mDim = (tiling.M + tiling.singleCoreM - 1) / tiling.singleCoreM;
    const int64_t m = GetBlockIdx() % mDim * tiling.singleCoreM;
    const int64_t n = GetBlockIdx() / mDim * tiling.singleCoreN;
    GlobalTensor<half> left, right, out;
    left.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a) + m * tiling.Ka);
    right.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b) + n * tiling.Kb);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(c) + m * tiling.N + n);
    product.SetTail(tiling.M - m < tiling.singleCoreM ? tiling.M - m : tiling.singleCoreM,
                    tiling.N - n < tiling.singleCoreN ? tiling.N - n : tiling.singleCoreN);
    product.SetTensorA(left);
    product.SetTensorB(right, true);
    product.IterateAll(out);
    product.End();
}
