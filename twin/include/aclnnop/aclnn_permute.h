// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aclnn/aclnn_base.h"

extern "C" {

/// Copies `self` to `out` with its dimensions in the order `dims`: dimension i of out is dims[i] of
/// self, counted from the end if negative. At most 8 dimensions of whole bytes; `self` may have any
/// strides, `out` is contiguous.
ACL_FUNC_VISIBILITY aclnnStatus aclnnPermuteGetWorkspaceSize(const aclTensor* self,
                                                             const aclIntArray* dims,
                                                             aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnPermute(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

}  // extern "C"
