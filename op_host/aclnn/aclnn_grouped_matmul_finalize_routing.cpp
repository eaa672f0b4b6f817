// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_grouped_matmul_finalize_routing.h"

#include <string>
#include <vector>

#include "aclnnInner_grouped_matmul_finalize_routing.h"
#include "common/tensor_view.h"
#include "common/text.h"
#include "common/view_check.h"
#include "grouped_matmul_finalize_routing_call.h"
#include "grouped_matmul_finalize_routing_checks.h"
#include "grouped_matmul_finalize_routing_interface.h"

namespace ops {
namespace aclnn {
namespace {

namespace op = GroupedMatmulFinalizeRoutingOp;

enum Position {
    kX,
    kW,
    kScale,
    kBias,
    kPertokenScale,
    kGroupList,
    kSharedInput,
    kLogit,
    kRowIndex,
    kY,
    kTensors
};

using Call = GroupedMatmulFinalizeRoutingCall;

/// The tensors of one call. Call M, K, Experts, N and OutputRows only after CheckRanks.
struct Arguments {
    const char* function;
    NamedTensor tensors[kTensors];
    TensorView views[kTensors];

    const std::vector<int64_t>& Shape(Position position) const { return views[position].shape; }
    int64_t M() const { return Shape(kX)[0]; }
    int64_t K() const { return Shape(kX)[1]; }
    int64_t Experts() const { return Shape(kW)[0]; }
    int64_t N() const { return Shape(kW)[2] * op::kWeightsPerWord; }
    int64_t OutputRows() const { return Shape(kY)[0]; }
};

aclnnStatus Invalid(const Arguments& call, const std::string& sentence) {
    return Reject(kParamInvalid, call.function, sentence);
}

/// Returns the first part of an error message, such as "bias has shape [3]; expected ".
std::string HasShape(const Arguments& call, Position position) {
    return std::string(call.tensors[position].name) + " has shape " +
           ListText(call.Shape(position)) + "; expected ";
}

aclnnStatus CheckRank(const Arguments& call, Position position, size_t rank, const char* form) {
    if (call.views[position].Rank() == rank) {
        return OK;
    }
    return Invalid(call, HasShape(call, position) + form + ", " + std::to_string(rank) +
                             (rank == 1 ? " dimension" : " dimensions"));
}

aclnnStatus CheckWeightKind(const Arguments& call, const Call& attrs) {
    if (attrs.dtype != 0) {
        return Invalid(call, "dtype is " + std::to_string(attrs.dtype) + "; expected 0, float32");
    }
    const aclnnStatus status = CheckRank(call, kW, 3, "[e, k, n / 8]");
    if (status != OK) {
        return status;
    }
    if (attrs.transposeX || attrs.transposeW) {
        return Invalid(call, std::string(attrs.transposeX ? "transposeX" : "transposeW") +
                                 " is true; expected false, the only layout supported");
    }
    aclDataType dtype = ACL_DT_UNDEFINED;
    if (aclGetDataType(call.tensors[kW].tensor, &dtype) != OK || dtype != ACL_INT32) {
        return Invalid(call, "w has dtype " + DtypeText(dtype) +
                                 "; expected int32, each holding 8 signed 4-bit weights");
    }
    return OK;
}

aclnnStatus CheckRanks(const Arguments& call) {
    const struct {
        Position position;
        size_t rank;
        const char* form;
    } rules[] = {
        {kScale, 3, "[e, 1, n]"},       {kBias, 2, "[e, n]"}, {kPertokenScale, 1, "[m]"},
        {kGroupList, 1, "[e]"},         {kLogit, 1, "[m]"},   {kRowIndex, 1, "[m]"},
        {kSharedInput, 2, "[rows, n]"}, {kX, 2, "[m, k]"},    {kY, 2, "[bs, n]"},
    };
    for (const auto& rule : rules) {
        const aclnnStatus status = CheckRank(call, rule.position, rule.rank, rule.form);
        if (status != OK) {
            return status;
        }
    }
    return OK;
}

aclnnStatus CheckTypes(const Arguments& call) {
    const NamedTensor* t = call.tensors;
    return CheckGroupedMatmulFinalizeRoutingTypes(
        call.function, t[kX].tensor, t[kW].tensor, t[kScale].tensor, t[kBias].tensor,
        t[kPertokenScale].tensor, t[kGroupList].tensor, t[kSharedInput].tensor, t[kLogit].tensor,
        t[kRowIndex].tensor, t[kY].tensor);
}

aclnnStatus CheckExtents(const Arguments& call) {
    const int64_t k = call.K();
    if (k != call.Shape(kW)[1]) {
        return Invalid(call, "x has shape " + ListText(call.Shape(kX)) + " and w has shape " +
                                 ListText(call.Shape(kW)) +
                                 "; expected the same k, x.shape[1] == w.shape[1]");
    }
    if (call.N() <= op::kNAbove) {
        return Invalid(call, HasShape(call, kW) + "more than " + std::to_string(op::kNAbove) +
                                 " columns of weights, w.shape[2] > " +
                                 std::to_string(op::kNAbove / op::kWeightsPerWord));
    }
    if (k % op::kKUnit != 0 || k <= op::kKAbove) {
        return Invalid(call, HasShape(call, kX) + "k, which is x.shape[1], as a multiple of " +
                                 std::to_string(op::kKUnit) + " greater than " +
                                 std::to_string(op::kKAbove));
    }
    return OK;
}

aclnnStatus CheckY(const Arguments& call) {
    if (call.OutputRows() > call.M()) {
        return Invalid(call, HasShape(call, kY) + "at most as many rows as x, which has " +
                                 std::to_string(call.M()));
    }
    if (call.Shape(kY)[1] != call.N()) {
        return Invalid(call,
                       HasShape(call, kY) + std::to_string(call.N()) + " columns, 8 * w.shape[2]");
    }
    return CheckContiguous(call.function, "y", call.views[kY]);
}

aclnnStatus CheckNumbers(const Arguments& call, const Call& attrs) {
    if (attrs.sharedInputOffset < 0) {
        return Invalid(call, "sharedInputOffset is " + std::to_string(attrs.sharedInputOffset) +
                                 "; expected 0 or more, a row of y");
    }
    if (attrs.groupListType != 0 && attrs.groupListType != 1) {
        return Invalid(call, "groupListType is " + std::to_string(attrs.groupListType) +
                                 "; expected 0 (cumulative sums) or 1 (counts)");
    }
    return OK;
}

aclnnStatus CheckShape(const Arguments& call, Position position,
                       const std::vector<int64_t>& expected, const char* form) {
    if (call.Shape(position) == expected) {
        return OK;
    }
    return Invalid(call, HasShape(call, position) + ListText(expected) + ", which is " + form);
}

aclnnStatus CheckSharedRows(const Arguments& call, int64_t offset) {
    const int64_t rows = call.Shape(kSharedInput)[0];
    const int64_t left = call.OutputRows() - rows;
    if (left < 0 || offset > left) {
        return Invalid(call, "sharedInputOptional has " + std::to_string(rows) +
                                 " rows and sharedInputOffset is " + std::to_string(offset) +
                                 "; expected both together at most " +
                                 std::to_string(call.OutputRows()) + ", the rows of y");
    }
    return OK;
}

aclnnStatus CheckShapes(const Arguments& call, const Call& attrs) {
    const int64_t m = call.M();
    const int64_t n = call.N();
    const int64_t experts = call.Experts();
    aclnnStatus status = CheckShape(call, kScale, {experts, 1, n}, "[e, 1, n]");
    status = status != OK ? status : CheckShape(call, kBias, {experts, n}, "[e, n]");
    status = status != OK ? status : CheckShape(call, kPertokenScale, {m}, "[m]");
    status = status != OK ? status : CheckShape(call, kLogit, {m}, "[m]");
    status = status != OK ? status : CheckShape(call, kRowIndex, {m}, "[m]");
    status = status != OK ? status : CheckShape(call, kGroupList, {experts}, "[e]");
    const int64_t rows = call.Shape(kSharedInput)[0];
    status = status != OK ? status : CheckShape(call, kSharedInput, {rows, n}, "[rows, n]");
    return status != OK ? status : CheckSharedRows(call, attrs.sharedInputOffset);
}

aclnnStatus CheckEveryTensor(const Arguments& call) {
    for (size_t i = 0; i < kTensors; ++i) {
        if (call.views[i].IsEmpty()) {
            return Invalid(call, std::string(call.tensors[i].name) + " has shape " +
                                     ListText(call.views[i].shape) +
                                     " and so no element; empty tensors are not supported");
        }
    }
    for (const NamedTensor& each : call.tensors) {
        aclFormat format = ACL_FORMAT_UNDEFINED;
        if (aclGetFormat(each.tensor, &format) != OK || format != ACL_FORMAT_ND) {
            return Invalid(call, std::string(each.name) + " has format " + FormatText(format) +
                                     "; expected ND");
        }
    }
    return OK;
}

aclnnStatus CheckLimits(const Arguments& call) {
    if (call.K() > op::kMaxK) {
        return Reject(
            kInnerTilingError, call.function,
            HasShape(call, kX) + "k, which is x.shape[1], of at most " + std::to_string(op::kMaxK));
    }
    if (call.Experts() > op::kMaxExperts) {
        return Invalid(call, HasShape(call, kW) + "at most " + std::to_string(op::kMaxExperts) +
                                 " experts, w.shape[0]");
    }
    return OK;
}

/// Checks all rules of the operator. Their order decides which of several errors is reported.
aclnnStatus CheckCall(Arguments* call, const Call& attrs) {
    for (size_t i = 0; i < kTensors; ++i) {
        const aclnnStatus status = ReadView(call->tensors[i].tensor, &call->views[i]);
        if (status != OK) {
            return status;
        }
    }
    aclnnStatus status = CheckWeightKind(*call, attrs);
    status = status != OK ? status : CheckRanks(*call);
    status = status != OK ? status : CheckTypes(*call);
    status = status != OK ? status : CheckExtents(*call);
    status = status != OK ? status : CheckY(*call);
    status = status != OK ? status : CheckNumbers(*call, attrs);
    status = status != OK ? status : CheckShapes(*call, attrs);
    status = status != OK ? status : CheckEveryTensor(*call);
    return status != OK ? status : CheckLimits(*call);
}

}  // namespace

aclnnStatus PlanGroupedMatmulFinalizeRouting(const Call& call, uint64_t* workspaceSize,
                                             aclOpExecutor** executor) {
    aclnnStatus status = CheckGroupedMatmulFinalizeRoutingPointers(
        call.function, call.x, call.w, call.scale, call.bias, call.pertokenScale, call.groupList,
        call.sharedInput, call.logit, call.rowIndex, call.y, workspaceSize, executor);
    if (status != OK) {
        return status;
    }
    Arguments arguments = {call.function,
                           {{"x", call.x},
                            {"w", call.w},
                            {"scaleOptional", call.scale},
                            {"biasOptional", call.bias},
                            {"pertokenScaleOptional", call.pertokenScale},
                            {"groupListOptional", call.groupList},
                            {"sharedInputOptional", call.sharedInput},
                            {"logitOptional", call.logit},
                            {"rowIndexOptional", call.rowIndex},
                            {"y", call.y}},
                           {}};
    status = CheckCall(&arguments, call);
    if (status != OK) {
        return status;
    }
    return aclnnInnerGroupedMatmulFinalizeRoutingGetWorkspaceSize(
        call.x, call.w, call.scale, call.bias, call.pertokenScale, call.groupList, call.sharedInput,
        call.logit, call.rowIndex, call.dtype, call.sharedInputWeight, call.sharedInputOffset,
        call.transposeX, call.transposeW, arguments.OutputRows(), call.groupListType, call.y,
        workspaceSize, executor);
}

}  // namespace aclnn
}  // namespace ops

extern "C" {

aclnnStatus aclnnGroupedMatmulFinalizeRoutingGetWorkspaceSize(
    const aclTensor* x, aclTensor* w, const aclTensor* scaleOptional, const aclTensor* biasOptional,
    const aclTensor* pertokenScaleOptional, const aclTensor* groupListOptional,
    const aclTensor* sharedInputOptional, const aclTensor* logitOptional,
    const aclTensor* rowIndexOptional, int64_t dtype, float sharedInputWeight,
    int64_t sharedInputOffset, bool transposeX, bool transposeW, int64_t groupListType,
    aclTensor* y, uint64_t* workspaceSize, aclOpExecutor** executor) {
    return ops::aclnn::PlanGroupedMatmulFinalizeRouting(
        {"aclnnGroupedMatmulFinalizeRoutingGetWorkspaceSize", x, w, scaleOptional, biasOptional,
         pertokenScaleOptional, groupListOptional, sharedInputOptional, logitOptional,
         rowIndexOptional, dtype, sharedInputWeight, sharedInputOffset, transposeX, transposeW,
         groupListType, y},
        workspaceSize, executor);
}

}  // extern "C"
