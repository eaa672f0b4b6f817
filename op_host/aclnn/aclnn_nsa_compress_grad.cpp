// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_nsa_compress_grad.h"

#include <cstring>
#include <memory>
#include <string>

#include "aclnnInner_nsa_compress_grad.h"
#include "common/strides_attr.h"
#include "common/tensor_view.h"
#include "common/text.h"
#include "nsa_compress_grad_checks.h"
#include "nsa_compress_grad_interface.h"

namespace ops {
namespace aclnn {
namespace {

namespace op = NsaCompressGradOp;

constexpr char kFunction[] = "aclnnNsaCompressGradGetWorkspaceSize";

struct Attributes {
    int64_t blockSize;
    int64_t stride;
    int64_t actSeqLenType;
    const char* layout;
};

struct Views {
    TensorView outputGrad;
    TensorView input;
    TensorView weight;
    TensorView inputGrad;
    TensorView weightGrad;
};

aclnnStatus Invalid(const std::string& sentence) {
    return Reject(kParamInvalid, kFunction, sentence);
}

aclnnStatus ReadViews(const aclTensor* const (&tensors)[5], Views* views) {
    TensorView* const all[] = {&views->outputGrad, &views->input, &views->weight, &views->inputGrad,
                               &views->weightGrad};
    aclnnStatus status = OK;
    for (size_t i = 0; i < 5 && status == OK; ++i) {
        status = ReadView(tensors[i], all[i]);
    }
    return status;
}

aclnnStatus CheckModes(const Attributes& attrs) {
    if (attrs.layout != nullptr && std::strcmp(attrs.layout, "TND") != 0) {
        return Invalid("layoutOptionalOptional is \"" + std::string(attrs.layout) +
                       "\"; expected \"TND\" or a null pointer");
    }
    if (attrs.actSeqLenType != 0) {
        return Invalid("actSeqLenType is " + std::to_string(attrs.actSeqLenType) +
                       "; expected 0, prefix sums of the lengths");
    }
    return OK;
}

aclnnStatus CheckRank(const char* name, const TensorView& view, size_t rank, const char* expected) {
    if (view.Rank() != rank || view.IsEmpty()) {
        return Invalid(std::string(name) + " has shape " + ListText(view.shape) + "; expected " +
                       expected + ", no dimension of them 0");
    }
    return OK;
}

aclnnStatus CheckShape(const char* name, const TensorView& view,
                       const std::vector<int64_t>& expected, const char* why) {
    if (view.shape != expected) {
        return Invalid(std::string(name) + " has shape " + ListText(view.shape) + "; expected " +
                       ListText(expected) + ", " + why);
    }
    return OK;
}

aclnnStatus CheckShapes(const Views& views, const Attributes& attrs) {
    aclnnStatus status = CheckRank("outputGrad", views.outputGrad, 3, "[M, N, D]");
    status = status != OK ? status : CheckRank("input", views.input, 3, "[T, N, D]");
    status = status != OK ? status : CheckRank("weight", views.weight, 2, "[compressBlockSize, N]");
    if (status != OK) {
        return status;
    }
    const int64_t heads = views.input.shape[1];
    // If the block size is 0 or less, accepts any number of weight rows: CheckLimits will fail.
    const int64_t weightRows = attrs.blockSize > 0 ? attrs.blockSize : views.weight.shape[0];
    status =
        CheckShape("outputGrad", views.outputGrad,
                   {views.outputGrad.shape[0], heads, views.input.shape[2]}, "N and D of input");
    status = status != OK ? status
                          : CheckShape("weight", views.weight, {weightRows, heads},
                                       "compressBlockSize and N of input");
    status = status != OK ? status
                          : CheckShape("inputGradOut", views.inputGrad, views.input.shape,
                                       "the shape of input");
    return status != OK ? status
                        : CheckShape("weightGradOut", views.weightGrad, views.weight.shape,
                                     "the shape of weight");
}

/// Checks rules that tiling checks later, and returns the same status as a failed tiling. Tiling
/// does not know the caller's names of the arguments.
aclnnStatus CheckLimits(const Views& views, const Attributes& attrs) {
    const int64_t heads = views.input.shape[1];
    const int64_t headDim = views.input.shape[2];
    const std::string grain = std::to_string(op::kGrain);
    std::string wrong;
    if (attrs.blockSize <= 0 || attrs.blockSize % op::kGrain != 0 ||
        attrs.blockSize > op::kMaxBlockSize) {
        wrong = "compressBlockSize is " + std::to_string(attrs.blockSize) +
                "; expected a multiple of " + grain + " from " + grain + " to " +
                std::to_string(op::kMaxBlockSize);
    } else if (attrs.stride <= 0 || attrs.stride >= attrs.blockSize ||
               attrs.stride % op::kGrain != 0) {
        wrong = "compressStride is " + std::to_string(attrs.stride) + "; expected a multiple of " +
                grain + " from " + grain + " up, and less than compressBlockSize, which is " +
                std::to_string(attrs.blockSize);
    } else if (heads > op::kMaxHeads) {
        wrong = "input has shape " + ListText(views.input.shape) +
                " and so N = " + std::to_string(heads) + "; expected up to " +
                std::to_string(op::kMaxHeads);
    } else if (headDim % op::kGrain != 0 || headDim > op::kMaxHeadDim) {
        wrong = "input has shape " + ListText(views.input.shape) +
                " and so D = " + std::to_string(headDim) + "; expected a multiple of " + grain +
                " up to " + std::to_string(op::kMaxHeadDim);
    }
    return wrong.empty() ? OK : Reject(kInnerTilingError, kFunction, wrong);
}

int64_t WindowsOf(const Attributes& attrs, int64_t length) {
    return op::Windows(length, attrs.blockSize, attrs.stride);
}

/// Checks that `ends` is not empty; without `ends`, checks the number of windows in outputGrad.
aclnnStatus CheckSequences(const aclIntArray* ends, const Views& views, const Attributes& attrs) {
    if (ends != nullptr) {
        uint64_t count = 0;
        const aclnnStatus status = aclGetIntArraySize(ends, &count);
        return status != OK || count > 0
                   ? status
                   : Invalid(
                         "actSeqLenOptionalOptional has no element; expected one per sequence, or "
                         "a null pointer for one sequence of all rows");
    }
    // CheckLimits reports sizes of 0 or less. With such sizes, there is no number of windows.
    if (attrs.blockSize <= 0 || attrs.stride <= 0) {
        return OK;
    }
    const int64_t given = views.outputGrad.shape[0];
    const int64_t rows = views.input.shape[0];
    const int64_t expected = WindowsOf(attrs, rows);
    if (given != expected) {
        return Invalid("outputGrad has shape " + ListText(views.outputGrad.shape) + "; expected " +
                       std::to_string(expected) +
                       " windows in dimension 0, those of one sequence of " + std::to_string(rows) +
                       " rows with compressBlockSize " + std::to_string(attrs.blockSize) +
                       " and compressStride " + std::to_string(attrs.stride));
    }
    return OK;
}

aclnnStatus CheckAll(const Views& views, const aclIntArray* ends, const Attributes& attrs) {
    aclnnStatus status = CheckModes(attrs);
    status = status != OK ? status : CheckShapes(views, attrs);
    status = status != OK ? status : CheckSequences(ends, views, attrs);
    return status != OK ? status : CheckLimits(views, attrs);
}

/// Reports wrong values of `ends` after tiling has failed. Only tiling can read these values. All
/// other rules were checked before, so `ends` must be the reason.
aclnnStatus RejectEnds(const aclIntArray* ends, const Views& views, const Attributes& attrs) {
    uint64_t count = 0;
    aclGetIntArraySize(ends, &count);
    return Invalid("actSeqLenOptionalOptional has " + std::to_string(count) +
                   " elements; expected ends of sequences that start at 0 or above, never fall and "
                   "stay within the " +
                   std::to_string(views.input.shape[0]) +
                   " rows of input, and with compressBlockSize " + std::to_string(attrs.blockSize) +
                   " and compressStride " + std::to_string(attrs.stride) + " the " +
                   std::to_string(views.outputGrad.shape[0]) + " windows of outputGrad");
}

}  // namespace
}  // namespace aclnn
}  // namespace ops

extern "C" {

aclnnStatus aclnnNsaCompressGradGetWorkspaceSize(
    const aclTensor* outputGrad, const aclTensor* input, const aclTensor* weight,
    const aclIntArray* actSeqLenOptionalOptional, int64_t compressBlockSize, int64_t compressStride,
    int64_t actSeqLenType, char* layoutOptionalOptional, const aclTensor* inputGradOut,
    const aclTensor* weightGradOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
    using namespace ops::aclnn;
    const Attributes attrs = {compressBlockSize, compressStride, actSeqLenType,
                              layoutOptionalOptional};
    Views views;
    aclnnStatus status = CheckNsaCompressGradSignature(
        kFunction, outputGrad, input, weight, inputGradOut, weightGradOut, workspaceSize, executor);
    status = status != OK
                 ? status
                 : ReadViews({outputGrad, input, weight, inputGradOut, weightGradOut}, &views);
    status = status != OK ? status : CheckAll(views, actSeqLenOptionalOptional, attrs);
    if (status != OK) {
        return status;
    }
    const StridesAttr inputGradStrides(views.inputGrad);
    const StridesAttr weightGradStrides(views.weightGrad);
    status = aclnnInnerNsaCompressGradGetWorkspaceSize(
        outputGrad, input, weight, actSeqLenOptionalOptional, compressBlockSize, compressStride,
        actSeqLenType, layoutOptionalOptional, inputGradStrides.Get(), weightGradStrides.Get(),
        inputGradOut, weightGradOut, workspaceSize, executor);
    const bool badEnds = status == kInnerTilingError && actSeqLenOptionalOptional != nullptr;
    return badEnds ? RejectEnds(actSeqLenOptionalOptional, views, attrs) : status;
}

}  // extern "C"
