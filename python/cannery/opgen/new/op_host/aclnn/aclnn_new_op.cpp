// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_new_op.h"

#include <string>

#include "aclnnInner_new_op.h"
#include "common/tensor_view.h"
#include "common/text.h"
#include "common/view_check.h"
#include "new_op_checks.h"
#include "new_op_interface.h"

namespace ops {
namespace aclnn {
namespace {

constexpr char kFunction[] = "aclnnNewOpGetWorkspaceSize";
constexpr size_t kMaxRank = NewOpOp::kMaxRank;

aclnnStatus CheckX(const TensorView& x) {
    if (x.Rank() == 0 || x.Rank() > kMaxRank) {
        return Reject(kParamInvalid, kFunction,
                      "x has shape " + ListText(x.shape) + " with " + std::to_string(x.Rank()) +
                          " dimensions; expected 1 to " + std::to_string(kMaxRank));
    }
    if (x.IsEmpty()) {
        return Reject(kParamInvalid, kFunction,
                      "x has shape " + ListText(x.shape) +
                          " and so no element; empty tensors are not supported");
    }
    return OK;
}

aclnnStatus CheckOut(const TensorView& out, const TensorView& x) {
    if (out.shape != x.shape) {
        return Reject(kParamInvalid, kFunction,
                      "out has shape " + ListText(out.shape) + "; expected " + ListText(x.shape) +
                          ", the shape of x");
    }
    return CheckContiguous(kFunction, "out", out);
}

aclnnStatus CheckShapes(const aclTensor* xTensor, const aclTensor* outTensor) {
    TensorView x;
    TensorView out;
    aclnnStatus status = ReadView(xTensor, &x);
    status = status != OK ? status : ReadView(outTensor, &out);
    status = status != OK ? status : CheckX(x);
    return status != OK ? status : CheckOut(out, x);
}

}  // namespace
}  // namespace aclnn
}  // namespace ops

extern "C" aclnnStatus aclnnNewOpGetWorkspaceSize(const aclTensor* x, const aclTensor* out,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
    using namespace ops::aclnn;
    aclnnStatus status = CheckNewOpSignature(kFunction, x, out, workspaceSize, executor);
    status = status != OK ? status : CheckShapes(x, out);
    if (status != OK) {
        return status;
    }
    return aclnnInnerNewOpGetWorkspaceSize(x, out, workspaceSize, executor);
}
