// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_moe_init_routing_v2_grad.h"

#include <string>

#include "aclnnInner_moe_init_routing_v2_grad.h"
#include "common/tensor_view.h"
#include "common/text.h"
#include "common/view_check.h"
#include "moe_init_routing_v2_grad_checks.h"

namespace ops {
namespace aclnn {
namespace {

constexpr char kFunction[] = "aclnnMoeInitRoutingV2GradGetWorkspaceSize";
constexpr int64_t kDropPad = 1;

struct Attributes {
    int64_t topK;
    int64_t dropPadMode;
    int64_t activeNum;
};

struct Views {
    TensorView grad;
    TensorView index;
    TensorView out;
};

/// Rejects the call with the status of a failed tiling. Tiling checks the same rules later, but it
/// does not know the caller's names of the arguments.
aclnnStatus RejectTiling(const std::string& sentence) {
    return Reject(kInnerTilingError, kFunction, sentence);
}

aclnnStatus CheckAttributes(const Attributes& attrs) {
    if (attrs.dropPadMode != 0 && attrs.dropPadMode != kDropPad) {
        return RejectTiling("dropPadMode is " + std::to_string(attrs.dropPadMode) +
                            "; expected 0 (rows behind each other) or 1 (rows per expert)");
    }
    if (attrs.topK <= 0) {
        return RejectTiling("topK is " + std::to_string(attrs.topK) + "; expected 1 or more");
    }
    if (attrs.activeNum < 0) {
        return RejectTiling("activeNum is " + std::to_string(attrs.activeNum) +
                            "; expected 0 (all rows) or more");
    }
    return OK;
}

aclnnStatus CheckIndex(const TensorView& index, int64_t topK) {
    if (index.Rank() != 1 || index.IsEmpty()) {
        return RejectTiling("expandedRowIdx has shape " + ListText(index.shape) +
                            "; expected [N * topK], one dimension with at least one element");
    }
    if (index.shape[0] % topK != 0) {
        return RejectTiling("expandedRowIdx has " + std::to_string(index.shape[0]) +
                            " elements; expected a multiple of topK, which is " +
                            std::to_string(topK));
    }
    return OK;
}

aclnnStatus CheckGrad(const TensorView& grad, int64_t copies, const Attributes& attrs) {
    const bool dropPad = attrs.dropPadMode == kDropPad;
    if (grad.Rank() != (dropPad ? 3 : 2)) {
        return RejectTiling("gradExpandedX has shape " + ListText(grad.shape) + "; expected " +
                            (dropPad ? "[E, C, H]" : "[rows, H]") + ", since dropPadMode is " +
                            std::to_string(attrs.dropPadMode));
    }
    if (grad.shape.back() <= 0) {
        return RejectTiling("gradExpandedX has shape " + ListText(grad.shape) +
                            "; expected rows of at least one element");
    }
    if (dropPad) {
        return OK;
    }
    const bool active = attrs.activeNum > 0;
    const int64_t rows = active ? attrs.activeNum : copies;
    if (grad.shape[0] != rows) {
        return RejectTiling(
            "gradExpandedX has " + std::to_string(grad.shape[0]) + " rows; expected " +
            std::to_string(rows) +
            (active ? ", which is activeNum" : ", one per element of expandedRowIdx"));
    }
    return OK;
}

aclnnStatus CheckOut(const TensorView& out, int64_t tokens, int64_t cols) {
    const std::vector<int64_t> expected = {tokens, cols};
    if (out.shape != expected) {
        return RejectTiling("out has shape " + ListText(out.shape) + "; expected " +
                            ListText(expected) +
                            ", a row of gradExpandedX for every topK elements of expandedRowIdx");
    }
    return OK;
}

aclnnStatus ReadViews(const aclTensor* grad, const aclTensor* index, const aclTensor* out,
                      Views* views) {
    aclnnStatus status = ReadView(grad, &views->grad);
    status = status != OK ? status : ReadView(index, &views->index);
    return status != OK ? status : ReadView(out, &views->out);
}

aclnnStatus CheckShapes(const Views& views, const Attributes& attrs) {
    aclnnStatus status = CheckContiguous(kFunction, "out", views.out);
    status = status != OK ? status : CheckAttributes(attrs);
    status = status != OK ? status : CheckIndex(views.index, attrs.topK);
    if (status != OK) {
        return status;
    }
    const int64_t copies = views.index.shape[0];
    status = CheckGrad(views.grad, copies, attrs);
    return status != OK ? status
                        : CheckOut(views.out, copies / attrs.topK, views.grad.shape.back());
}

}  // namespace
}  // namespace aclnn
}  // namespace ops

extern "C" {

aclnnStatus aclnnMoeInitRoutingV2GradGetWorkspaceSize(const aclTensor* gradExpandedX,
                                                      const aclTensor* expandedRowIdx, int64_t topK,
                                                      int64_t dropPadMode, int64_t activeNum,
                                                      const aclTensor* out, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor) {
    ops::aclnn::Views views;
    aclnnStatus status = ops::aclnn::CheckMoeInitRoutingV2GradSignature(
        ops::aclnn::kFunction, gradExpandedX, expandedRowIdx, out, workspaceSize, executor);
    status =
        status != OK ? status : ops::aclnn::ReadViews(gradExpandedX, expandedRowIdx, out, &views);
    status = status != OK ? status : ops::aclnn::CheckShapes(views, {topK, dropPadMode, activeNum});
    if (status != OK) {
        return status;
    }
    return aclnnInnerMoeInitRoutingV2GradGetWorkspaceSize(
        gradExpandedX, expandedRowIdx, topK, dropPadMode, activeNum, out, workspaceSize, executor);
}

}  // extern "C"
