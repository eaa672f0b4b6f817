// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_KERNEL_TILING_CUBE_TILING_H
#define TWIN_INCLUDE_KERNEL_TILING_CUBE_TILING_H

#include <stdint.h>

/// The tiling of one matrix product, which host code passes to the kernel's Matmul. Sizes are in
/// elements. The fields have the toolkit's order, because hand-written tilings are passed as these
/// 50 numbers.
struct TCubeTiling {
    int32_t usedCoreNum = 0;
    int32_t M = 0;  ///< whole matrices in GM: A is (M, Ka), B is (Kb, N)
    int32_t N = 0;
    int32_t Ka = 0;
    int32_t Kb = 0;
    int32_t singleCoreM = 0;  ///< the share of one core
    int32_t singleCoreN = 0;
    int32_t singleCoreK = 0;
    int32_t baseM = 0;  ///< the size of one Mmad
    int32_t baseN = 0;
    int32_t baseK = 0;
    int32_t depthA1 = 0;  ///< base blocks of A in L1, all its buffers together
    int32_t depthB1 = 0;
    int32_t stepM = 0;  ///< base blocks of A in one L1 buffer along M
    int32_t stepN = 0;
    int32_t isBias = 0;
    int32_t transLength = 0;
    int32_t iterateOrder = 0;  ///< 0: along M first, 1: along N first
    int32_t shareMode = 0;
    int32_t shareL1Size = 0;
    int32_t shareL0CSize = 0;
    int32_t shareUbSize = 0;
    int32_t batchM = 0;
    int32_t batchN = 0;
    int32_t singleBatchM = 0;
    int32_t singleBatchN = 0;
    int32_t stepKa = 0;  ///< base blocks of A in one L1 buffer along K
    int32_t stepKb = 0;
    int32_t depthAL1CacheUB = 0;
    int32_t depthBL1CacheUB = 0;
    int32_t dbL0A = 0;  ///< buffers in L0A: 1 or 2
    int32_t dbL0B = 0;
    int32_t dbL0C = 0;
    int32_t ALayoutInfoB = 0;  ///< axes of batched operands
    int32_t ALayoutInfoS = 0;
    int32_t ALayoutInfoN = 0;
    int32_t ALayoutInfoG = 0;
    int32_t ALayoutInfoD = 0;
    int32_t BLayoutInfoB = 0;
    int32_t BLayoutInfoS = 0;
    int32_t BLayoutInfoN = 0;
    int32_t BLayoutInfoG = 0;
    int32_t BLayoutInfoD = 0;
    int32_t CLayoutInfoB = 0;
    int32_t CLayoutInfoS1 = 0;
    int32_t CLayoutInfoN = 0;
    int32_t CLayoutInfoG = 0;
    int32_t CLayoutInfoS2 = 0;
    int32_t BatchNum = 0;
    int32_t reserved = 0;
};

static_assert(sizeof(TCubeTiling) == 200, "50 fields");

namespace AscendC {
namespace tiling {
using ::TCubeTiling;
}
}  // namespace AscendC

#endif  // TWIN_INCLUDE_KERNEL_TILING_CUBE_TILING_H
