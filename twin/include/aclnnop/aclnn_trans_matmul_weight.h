// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aclnn/aclnn_base.h"

extern "C" {

/// Computes the number of elements that weights of `tensorShape` (batch..., rows, columns) need in
/// format FRACTAL_NZ. The shape has 2 to 6 dimensions. Rows are rounded up to 16, columns to 32 for
/// int8 and to 16 for other dtypes.
ACL_FUNC_VISIBILITY aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape,
                                                                 aclDataType dataType,
                                                                 uint64_t* weightTensorSize);
/// Like aclnnCalculateMatmulWeightSizeV2, but only for float16 and shapes of 2 or 3 dimensions.
ACL_FUNC_VISIBILITY aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray* tensorShape,
                                                               uint64_t* weightTensorSize);

/// Converts contiguous weights from ND to FRACTAL_NZ in place. Their memory must have room for the
/// elements that aclnnCalculateMatmulWeightSizeV2 computes; padding becomes zero. Phase 1 changes
/// the format and storage shape of `mmWeightRef`, phase 2 converts the memory.
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransMatmulWeightGetWorkspaceSize(aclTensor* mmWeightRef,
                                                                       uint64_t* workspaceSize,
                                                                       aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransMatmulWeight(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

}  // extern "C"
