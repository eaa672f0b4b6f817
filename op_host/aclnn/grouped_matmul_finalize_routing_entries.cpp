// SPDX-License-Identifier: Apache-2.0
// The operator's public functions except the first one. V2 and V3 refuse additional tensors and
// otherwise work like the first function. The functions for FRACTAL_NZ weights refuse every call.
#include <string>

#include "aclnnop/aclnn_grouped_matmul_finalize_routing_v2.h"
#include "aclnnop/aclnn_grouped_matmul_finalize_routing_v3.h"
#include "aclnnop/aclnn_grouped_matmul_finalize_routing_weight_nz.h"
#include "aclnnop/aclnn_grouped_matmul_finalize_routing_weight_nz_v2.h"
#include "common/signature_check.h"
#include "common/text.h"
#include "grouped_matmul_finalize_routing_call.h"

namespace ops {
namespace aclnn {
namespace {

using Call = GroupedMatmulFinalizeRoutingCall;

/// The additional tensor parameters of the functions from V2 on.
struct Quantisation {
    const aclTensor* offset;
    const aclTensor* antiquantScale;
    const aclTensor* antiquantOffset;
};

aclnnStatus RejectGiven(const Call& call, const char* name, const char* why) {
    return Reject(kParamInvalid, call.function,
                  std::string(name) + " is given; expected nullptr: " + why);
}

/// Returns true if no required pointer is null. Otherwise additional tensors are not checked.
bool HasRequired(const Call& call, const uint64_t* workspaceSize, aclOpExecutor* const* executor) {
    const void* const required[] = {
        call.x,           call.w,     call.scale,    call.bias, call.groupList, call.pertokenScale,
        call.sharedInput, call.logit, call.rowIndex, call.y,    workspaceSize,  executor};
    for (const void* pointer : required) {
        if (pointer == nullptr) {
            return false;
        }
    }
    return true;
}

aclnnStatus Plan(const Call& call, const Quantisation& given, uint64_t* workspaceSize,
                 aclOpExecutor** executor) {
    if (HasRequired(call, workspaceSize, executor)) {
        if (given.offset != nullptr) {
            return RejectGiven(call, "offsetOptional",
                               "this kernel computes symmetrically quantised weights only");
        }
        if (given.antiquantScale != nullptr) {
            return RejectGiven(call, "antiquantScaleOptional", "the parameter is reserved");
        }
        if (given.antiquantOffset != nullptr) {
            return RejectGiven(call, "antiquantOffsetOptional", "the parameter is reserved");
        }
    }
    return PlanGroupedMatmulFinalizeRouting(call, workspaceSize, executor);
}

/// Refuses every call, because the kernel does not read FRACTAL_NZ weights. A null pointer is
/// reported first if the argument is required for the int8 weights of the toolkit's function.
aclnnStatus RejectNz(const Call& call, const uint64_t* workspaceSize,
                     aclOpExecutor* const* executor) {
    const NamedPointer required[] = {
        {"x", call.x},
        {"w", call.w},
        {"scaleOptional", call.scale},
        {"groupListOptional", call.groupList},
        {"rowIndexOptional", call.rowIndex},
        {"y", call.y},
        {"workspaceSize", workspaceSize},
        {"executor", executor},
    };
    const aclnnStatus status =
        CheckNotNull(call.function, required, sizeof(required) / sizeof(required[0]));
    if (status != OK) {
        return status;
    }
    aclFormat format = ACL_FORMAT_UNDEFINED;
    if (aclGetFormat(call.w, &format) != OK || format != ACL_FORMAT_FRACTAL_NZ) {
        return Reject(kParamInvalid, call.function,
                      "w has format " + FormatText(format) +
                          "; expected FRACTAL_NZ. For weights in format ND call "
                          "aclnnGroupedMatmulFinalizeRoutingV3");
    }
    aclDataType dtype = ACL_DT_UNDEFINED;
    aclGetDataType(call.w, &dtype);
    return Reject(kParamInvalid, call.function,
                  "w has dtype " + DtypeText(dtype) +
                      " in format FRACTAL_NZ, for which this package has no kernel; pass 4-bit "
                      "weights as int32 in format ND to aclnnGroupedMatmulFinalizeRoutingV3");
}

}  // namespace
}  // namespace aclnn
}  // namespace ops

extern "C" {

aclnnStatus aclnnGroupedMatmulFinalizeRoutingV2GetWorkspaceSize(
    const aclTensor* x, aclTensor* w, const aclTensor* scaleOptional, const aclTensor* biasOptional,
    const aclTensor* offsetOptional, const aclTensor* antiquantScaleOptional,
    const aclTensor* antiquantOffsetOptional, const aclTensor* pertokenScaleOptional,
    const aclTensor* groupListOptional, const aclTensor* sharedInputOptional,
    const aclTensor* logitOptional, const aclTensor* rowIndexOptional, int64_t dtype,
    float sharedInputWeight, int64_t sharedInputOffset, bool transposeX, bool transposeW,
    int64_t groupListType, aclTensor* y, uint64_t* workspaceSize, aclOpExecutor** executor) {
    return ops::aclnn::Plan(
        {"aclnnGroupedMatmulFinalizeRoutingV2GetWorkspaceSize", x, w, scaleOptional, biasOptional,
         pertokenScaleOptional, groupListOptional, sharedInputOptional, logitOptional,
         rowIndexOptional, dtype, sharedInputWeight, sharedInputOffset, transposeX, transposeW,
         groupListType, y},
        {offsetOptional, antiquantScaleOptional, antiquantOffsetOptional}, workspaceSize, executor);
}

aclnnStatus aclnnGroupedMatmulFinalizeRoutingV3GetWorkspaceSize(
    const aclTensor* x, aclTensor* w, const aclTensor* scaleOptional, const aclTensor* biasOptional,
    const aclTensor* offsetOptional, const aclTensor* antiquantScaleOptional,
    const aclTensor* antiquantOffsetOptional, const aclTensor* pertokenScaleOptional,
    const aclTensor* groupListOptional, const aclTensor* sharedInputOptional,
    const aclTensor* logitOptional, const aclTensor* rowIndexOptional, int64_t dtype,
    float sharedInputWeight, int64_t sharedInputOffset, bool transposeX, bool transposeW,
    int64_t groupListType, const aclIntArray*, aclTensor* y, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
    return ops::aclnn::Plan(
        {"aclnnGroupedMatmulFinalizeRoutingV3GetWorkspaceSize", x, w, scaleOptional, biasOptional,
         pertokenScaleOptional, groupListOptional, sharedInputOptional, logitOptional,
         rowIndexOptional, dtype, sharedInputWeight, sharedInputOffset, transposeX, transposeW,
         groupListType, y},
        {offsetOptional, antiquantScaleOptional, antiquantOffsetOptional}, workspaceSize, executor);
}

aclnnStatus aclnnGroupedMatmulFinalizeRoutingWeightNzGetWorkspaceSize(
    const aclTensor* x, const aclTensor* w, const aclTensor* scaleOptional,
    const aclTensor* biasOptional, const aclTensor* pertokenScaleOptional,
    const aclTensor* groupListOptional, const aclTensor* sharedInputOptional,
    const aclTensor* logitOptional, const aclTensor* rowIndexOptional, int64_t dtype,
    float sharedInputWeight, int64_t sharedInputOffset, bool transposeX, bool transposeW,
    int64_t groupListType, aclTensor* y, uint64_t* workspaceSize, aclOpExecutor** executor) {
    return ops::aclnn::RejectNz(
        {"aclnnGroupedMatmulFinalizeRoutingWeightNzGetWorkspaceSize", x, w, scaleOptional,
         biasOptional, pertokenScaleOptional, groupListOptional, sharedInputOptional, logitOptional,
         rowIndexOptional, dtype, sharedInputWeight, sharedInputOffset, transposeX, transposeW,
         groupListType, y},
        workspaceSize, executor);
}

aclnnStatus aclnnGroupedMatmulFinalizeRoutingWeightNzV2GetWorkspaceSize(
    const aclTensor* x, aclTensor* w, const aclTensor* scaleOptional, const aclTensor* biasOptional,
    const aclTensor*, const aclTensor*, const aclTensor*, const aclTensor* pertokenScaleOptional,
    const aclTensor* groupListOptional, const aclTensor* sharedInputOptional,
    const aclTensor* logitOptional, const aclTensor* rowIndexOptional, int64_t dtype,
    float sharedInputWeight, int64_t sharedInputOffset, bool transposeX, bool transposeW,
    int64_t groupListType, const aclIntArray*, aclTensor* y, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
    return ops::aclnn::RejectNz(
        {"aclnnGroupedMatmulFinalizeRoutingWeightNzV2GetWorkspaceSize", x, w, scaleOptional,
         biasOptional, pertokenScaleOptional, groupListOptional, sharedInputOptional, logitOptional,
         rowIndexOptional, dtype, sharedInputWeight, sharedInputOffset, transposeX, transposeW,
         groupListType, y},
        workspaceSize, executor);
}

}  // extern "C"
