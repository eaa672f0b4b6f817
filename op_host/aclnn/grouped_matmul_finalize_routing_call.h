// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_ACLNN_GROUPED_MATMUL_FINALIZE_ROUTING_CALL_H
#define OP_HOST_ACLNN_GROUPED_MATMUL_FINALIZE_ROUTING_CALL_H

#include "aclnn/acl_meta.h"

namespace ops {
namespace aclnn {

/// The arguments that all public functions of the operator have.
struct GroupedMatmulFinalizeRoutingCall {
    const char* function;  ///< name of the public function, for error messages
    const aclTensor* x;
    const aclTensor* w;
    const aclTensor* scale;
    const aclTensor* bias;
    const aclTensor* pertokenScale;
    const aclTensor* groupList;
    const aclTensor* sharedInput;
    const aclTensor* logit;
    const aclTensor* rowIndex;
    int64_t dtype;
    float sharedInputWeight;
    int64_t sharedInputOffset;
    bool transposeX;
    bool transposeW;
    int64_t groupListType;
    aclTensor* y;
};

/// Checks the call in the order of the operator's contract and creates its executor (phase 1).
aclnnStatus PlanGroupedMatmulFinalizeRouting(const GroupedMatmulFinalizeRoutingCall& call,
                                             uint64_t* workspaceSize, aclOpExecutor** executor);

}  // namespace aclnn
}  // namespace ops

#endif  // OP_HOST_ACLNN_GROUPED_MATMUL_FINALIZE_ROUTING_CALL_H
