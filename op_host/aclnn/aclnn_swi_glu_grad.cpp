// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_swi_glu_grad.h"

#include <string>

#include "aclnnInner_swi_glu_grad.h"
#include "common/tensor_view.h"
#include "common/text.h"
#include "common/view_check.h"
#include "swi_glu_grad_checks.h"
#include "swi_glu_grad_interface.h"

namespace ops {
namespace aclnn {
namespace {

constexpr char kFunction[] = "aclnnSwiGluGradGetWorkspaceSize";
constexpr size_t kMaxRank = SwiGluGradOp::kMaxRank;

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

aclnnStatus CheckDim(int64_t dim, size_t xRank) {
    const int64_t rank = static_cast<int64_t>(xRank);
    if (dim < -rank || dim >= rank) {
        return Reject(kParamInvalid, kFunction,
                      "dim is " + std::to_string(dim) + "; expected " + std::to_string(-rank) +
                          " to " + std::to_string(rank - 1) + ", since x has " +
                          std::to_string(rank) + " dimensions");
    }
    return OK;
}

/// Checks that yGrad has the shape of x with dimension `axis` halved. If dimension `axis` of x is
/// odd, dimension `axis` of yGrad is not checked, because CheckEven reports the error.
aclnnStatus CheckYGrad(const TensorView& yGrad, const TensorView& x, size_t axis) {
    std::vector<int64_t> expected = x.shape;
    expected[axis] /= 2;
    std::vector<int64_t> given = yGrad.shape;
    if (x.shape[axis] % 2 != 0 && given.size() == expected.size()) {
        given[axis] = expected[axis];
    }
    if (given != expected) {
        return Reject(kParamInvalid, kFunction,
                      "yGrad has shape " + ListText(yGrad.shape) + "; expected " +
                          ListText(expected) + ", the shape of x with dimension " +
                          std::to_string(axis) + " halved");
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

/// Checks a rule that tiling checks later, and returns the same status as a failed tiling. Tiling
/// does not know the caller's names of the arguments.
aclnnStatus CheckEven(const TensorView& x, size_t axis) {
    if (x.shape[axis] % 2 != 0) {
        return Reject(kInnerTilingError, kFunction,
                      "x has shape " + ListText(x.shape) + " and so odd length " +
                          std::to_string(x.shape[axis]) + " in dimension " + std::to_string(axis) +
                          "; expected an even length, two halves");
    }
    return OK;
}

aclnnStatus CheckShapes(const aclTensor* yGradTensor, const aclTensor* xTensor, int64_t dim,
                        const aclTensor* outTensor) {
    TensorView yGrad;
    TensorView x;
    TensorView out;
    aclnnStatus status = ReadView(yGradTensor, &yGrad);
    status = status != OK ? status : ReadView(xTensor, &x);
    status = status != OK ? status : ReadView(outTensor, &out);
    status = status != OK ? status : CheckX(x);
    status = status != OK ? status : CheckDim(dim, x.Rank());
    if (status != OK) {
        return status;
    }
    const size_t axis = FromFront(dim, x.Rank());
    status = CheckYGrad(yGrad, x, axis);
    status = status != OK ? status : CheckOut(out, x);
    return status != OK ? status : CheckEven(x, axis);
}

}  // namespace
}  // namespace aclnn
}  // namespace ops

extern "C" {

aclnnStatus aclnnSwiGluGradGetWorkspaceSize(const aclTensor* yGrad, const aclTensor* x, int64_t dim,
                                            const aclTensor* out, uint64_t* workspaceSize,
                                            aclOpExecutor** executor) {
    aclnnStatus status = ops::aclnn::CheckSwiGluGradSignature(ops::aclnn::kFunction, yGrad, x, out,
                                                              workspaceSize, executor);
    status = status != OK ? status : ops::aclnn::CheckShapes(yGrad, x, dim, out);
    if (status != OK) {
        return status;
    }
    return aclnnInnerSwiGluGradGetWorkspaceSize(yGrad, x, dim, out, workspaceSize, executor);
}

}  // extern "C"
