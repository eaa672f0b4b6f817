// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aclnn/aclnn_base.h"

extern "C" {

/// Copies `self` to `out` in another order of dimensions: dimension i of out is dimension dims[i]
/// of self; a negative dims[i] counts from the end. `self` has at most 8 dimensions, any strides
/// and elements of whole bytes; `out` is contiguous.
ACL_FUNC_VISIBILITY aclnnStatus aclnnPermuteGetWorkspaceSize(const aclTensor* self,
                                                             const aclIntArray* dims,
                                                             aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnPermute(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

}  // extern "C"
