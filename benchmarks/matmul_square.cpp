// SPDX-License-Identifier: Apache-2.0
// Multiplies square matrices with the high-level Matmul, as a user would: the host computes the
// tiling, and each cube core computes one part of C.
#include "kernel_operator.h"
#define ASCENDC_CUBE_ONLY
#include "lib/matmul_intf.h"

template <typename In, typename Out>
__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR b, GM_ADDR c, const TCubeTiling& tiling) {
    using namespace AscendC;
    TPipe pipe;
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, In>,
           MatmulType<TPosition::GM, CubeFormat::ND, In>,
           MatmulType<TPosition::GM, CubeFormat::ND, Out>,
           MatmulType<TPosition::GM, CubeFormat::ND, Out>, CFG_MDL>
        product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    const int64_t mDim = (tiling.M + tiling.singleCoreM - 1) / tiling.singleCoreM;
    const int64_t m = GetBlockIdx() % mDim * tiling.singleCoreM;
    const int64_t n = GetBlockIdx() / mDim * tiling.singleCoreN;
    GlobalTensor<In> left, right;
    GlobalTensor<Out> out;
    left.SetGlobalBuffer(reinterpret_cast<__gm__ In*>(a) + m * tiling.Ka);
    right.SetGlobalBuffer(reinterpret_cast<__gm__ In*>(b) + n);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ Out*>(c) + m * tiling.N + n);
    product.SetTail(tiling.M - m < tiling.singleCoreM ? tiling.M - m : tiling.singleCoreM,
                    tiling.N - n < tiling.singleCoreN ? tiling.N - n : tiling.singleCoreN);
    product.SetTensorA(left);
    product.SetTensorB(right);
    product.IterateAll(out);
    product.End();
}

extern "C" __global__ __aicore__ void matmul_square(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR data) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, tiling, data);
    if (TILING_KEY_IS(0)) {
        Multiply<half, float>(a, b, c, tiling);
    }
    if (TILING_KEY_IS(1)) {
        Multiply<int8_t, int32_t>(a, b, c, tiling);
    }
}
