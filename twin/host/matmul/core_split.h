// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_MATMUL_CORE_SPLIT_H
#define TWIN_HOST_MATMUL_CORE_SPLIT_H

#include "host/matmul/block_plan.h"

namespace twin::host::matmul {

/// How a product is split among cores.
struct SplitRequest {
    PlanRequest whole;  ///< m, n, k of the whole product
    int32_t cores = 1;
    bool splitK = false;
    int32_t singleM = kUnset, singleN = kUnset, singleK = kUnset;  ///< share fixed by the user
    int32_t maxM = kUnset, maxN = kUnset, maxK = kUnset;
    int32_t minM = kUnset, minN = kUnset, minK = kUnset;
    int32_t alignM = 1, alignN = 1, alignK = 1;
};

struct CoreSplit {
    int32_t singleM = 0, singleN = 0, singleK = 0;
    int32_t mDim = 0, nDim = 0, kDim = 0;
    BlockPlan plan;
};

/// Finds the split whose slowest core is fastest; returns nullptr, or why there is none.
const char* SplitCores(const SplitRequest& request, CoreSplit* split);

}  // namespace twin::host::matmul

#endif  // TWIN_HOST_MATMUL_CORE_SPLIT_H
