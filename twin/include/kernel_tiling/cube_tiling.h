// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// Logical positions of tensors; kernels and the tiling of Matmul use the same numbers.
#define TWIN_POSITIONS                                                                           \
    GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, \
                                                                  TSCM

// Tiling of one matrix product, which host tiling passes to the kernel's Matmul. Sizes are in
// elements. The fields have the toolkit's order, because programs may send tiling as these 50
// numbers. M, N, Ka and Kb are the sizes in GM: A is (M, Ka), B is (Kb, N). A core computes the
// singleCore sizes, one Mmad the base sizes. depthA1 is the number of base blocks of A in all its
// L1 buffers; one buffer has stepM by stepKa blocks. iterateOrder is 0 if M comes first, 1 if N
// does. dbL0A is the number of buffers in L0A, 1 or 2. ALayoutInfo, BLayoutInfo and CLayoutInfo are
// axes of batched operands. mxTypePara is for other chips; CANN 8.1 names it `reserved`.
// clang-format off
#define TWIN_CUBE_TILING_SPLIT(FIELD) \
    FIELD(int32_t, usedCoreNum) FIELD(int32_t, M) FIELD(int32_t, N) FIELD(int32_t, Ka) \
    FIELD(int32_t, Kb) FIELD(int32_t, singleCoreM) FIELD(int32_t, singleCoreN) \
    FIELD(int32_t, singleCoreK) FIELD(int32_t, baseM) FIELD(int32_t, baseN) FIELD(int32_t, baseK) \
    FIELD(int32_t, depthA1) FIELD(int32_t, depthB1) FIELD(int32_t, stepM) FIELD(int32_t, stepN) \
    FIELD(int32_t, isBias) FIELD(int32_t, transLength) FIELD(int32_t, iterateOrder) \
    FIELD(int32_t, shareMode) FIELD(int32_t, shareL1Size) FIELD(int32_t, shareL0CSize) \
    FIELD(int32_t, shareUbSize)
#define TWIN_CUBE_TILING_BATCH(FIELD) \
    FIELD(int32_t, batchM) FIELD(int32_t, batchN) FIELD(int32_t, singleBatchM) \
    FIELD(int32_t, singleBatchN)
#define TWIN_CUBE_TILING_LAYOUT(FIELD) \
    FIELD(int32_t, stepKa) FIELD(int32_t, stepKb) FIELD(int32_t, depthAL1CacheUB) \
    FIELD(int32_t, depthBL1CacheUB) FIELD(int32_t, dbL0A) FIELD(int32_t, dbL0B) \
    FIELD(int32_t, dbL0C) FIELD(int32_t, ALayoutInfoB) FIELD(int32_t, ALayoutInfoS) \
    FIELD(int32_t, ALayoutInfoN) FIELD(int32_t, ALayoutInfoG) FIELD(int32_t, ALayoutInfoD) \
    FIELD(int32_t, BLayoutInfoB) FIELD(int32_t, BLayoutInfoS) FIELD(int32_t, BLayoutInfoN) \
    FIELD(int32_t, BLayoutInfoG) FIELD(int32_t, BLayoutInfoD) FIELD(int32_t, CLayoutInfoB) \
    FIELD(int32_t, CLayoutInfoS1) FIELD(int32_t, CLayoutInfoN) FIELD(int32_t, CLayoutInfoG) \
    FIELD(int32_t, CLayoutInfoS2) FIELD(int32_t, BatchNum)
#define TWIN_CUBE_TILING_FIELDS(FIELD) \
    TWIN_CUBE_TILING_SPLIT(FIELD) TWIN_CUBE_TILING_BATCH(FIELD) TWIN_CUBE_TILING_LAYOUT(FIELD) \
    FIELD(int32_t, mxTypePara)
// clang-format on

#define TWIN_CUBE_FIELD(TYPE, NAME) TYPE NAME = 0;
struct TCubeTiling {
    TWIN_CUBE_TILING_FIELDS(TWIN_CUBE_FIELD)
};
#undef TWIN_CUBE_FIELD

static_assert(sizeof(TCubeTiling) == 200, "50 fields");

namespace AscendC {
namespace tiling {
using ::TCubeTiling;
}
}  // namespace AscendC
