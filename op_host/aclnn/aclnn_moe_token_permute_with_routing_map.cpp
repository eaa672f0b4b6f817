// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_moe_token_permute_with_routing_map.h"

#include <string>

#include "aclnnInner_moe_token_permute_with_routing_map.h"
#include "common/strides_attr.h"
#include "common/tensor_view.h"
#include "common/text.h"
#include "moe_token_permute_with_routing_map_checks.h"
#include "moe_token_permute_with_routing_map_interface.h"

namespace ops {
namespace aclnn {
namespace {

namespace op = MoeTokenPermuteWithRoutingMapOp;

constexpr char kFunction[] = "aclnnMoeTokenPermuteWithRoutingMapGetWorkspaceSize";

/// The shapes and the attributes of one call, for the functions that check them.
struct Call {
    TensorView tokens;
    TensorView map;
    TensorView probs;
    TensorView permuteTokens;
    TensorView permuteProbs;
    TensorView indices;
    bool hasProbs;
    bool pad;
    int64_t numOutTokens;

    int64_t Tokens() const { return map.shape[0]; }
    int64_t Experts() const { return map.shape[1]; }
    /// Returns the number of rows per token (k), or with padding the number of rows per expert (C).
    int64_t Slots() const {
        const int64_t unit = pad ? Experts() : Tokens();
        return unit == 0 ? 0 : numOutTokens / unit;
    }
    int64_t OutRows() const { return Slots() * (pad ? Experts() : Tokens()); }
    bool IsEmpty() const { return map.IsEmpty() || OutRows() == 0 || tokens.shape[1] == 0; }
};

aclnnStatus Invalid(const std::string& sentence) {
    return Reject(kParamInvalid, kFunction, sentence);
}

/// Checks that both optional tensors are given, or neither. Call this before the other checks.
aclnnStatus CheckOptionalPair(const aclTensor* probs, const aclTensor* permuteProbs) {
    if ((probs == nullptr) == (permuteProbs == nullptr)) {
        return OK;
    }
    const bool outputMissing = permuteProbs == nullptr;
    return Reject(kParamNullptr, kFunction,
                  std::string(outputMissing ? "permuteProbsOutOptional" : "probsOptional") +
                      " is a null pointer, but " +
                      (outputMissing ? "probsOptional" : "permuteProbsOutOptional") +
                      " is not; expected both or neither");
}

aclnnStatus CheckMatrix(const char* name, const TensorView& view, const char* expected) {
    return view.Rank() == 2 ? OK
                            : Invalid(std::string(name) + " has shape " + ListText(view.shape) +
                                      "; expected two dimensions, " + expected);
}

aclnnStatus CheckInputs(const Call& call) {
    aclnnStatus status = CheckMatrix("tokens", call.tokens, "(T, H)");
    status = status != OK ? status : CheckMatrix("routingMap", call.map, "(T, E)");
    if (status != OK) {
        return status;
    }
    if (call.hasProbs && call.probs.shape != call.map.shape) {
        return Invalid("probsOptional has shape " + ListText(call.probs.shape) + "; expected " +
                       ListText(call.map.shape) + ", the shape of routingMap");
    }
    if (call.Tokens() >= op::kExtentBelow || call.Experts() >= op::kExtentBelow) {
        return Invalid("routingMap has shape " + ListText(call.map.shape) +
                       "; expected both dimensions below " + std::to_string(op::kExtentBelow));
    }
    const int64_t most = call.Tokens() * call.Experts();
    if (call.numOutTokens < 0 || call.numOutTokens > most) {
        return Invalid("numOutTokens is " + std::to_string(call.numOutTokens) + "; expected 0 to " +
                       std::to_string(most) + ", the elements of routingMap");
    }
    return OK;
}

aclnnStatus CheckStrides(const char* name, const TensorView& view) {
    for (size_t i = 0; i < view.Rank(); ++i) {
        if (view.shape[i] > 1 && view.strides[i] < 0) {
            return Invalid(std::string(name) + " has strides " + ListText(view.strides) +
                           "; expected none below 0");
        }
    }
    return OK;
}

aclnnStatus CheckVector(const char* name, const TensorView& view, int64_t rows) {
    if (view.Rank() != 1 || view.shape[0] != rows) {
        return Invalid(std::string(name) + " has shape " + ListText(view.shape) + "; expected [" +
                       std::to_string(rows) + "], a row for each permuted token");
    }
    return CheckStrides(name, view);
}

aclnnStatus CheckOutputs(const Call& call) {
    const int64_t rows = call.OutRows();
    if (call.permuteTokens.Rank() != 2 || call.permuteTokens.shape[0] != rows) {
        return Invalid("permuteTokensOut has shape " + ListText(call.permuteTokens.shape) +
                       "; expected two dimensions, the first " + std::to_string(rows) +
                       ", numOutTokens rounded down to a multiple of " +
                       std::to_string(call.pad ? call.Experts() : call.Tokens()));
    }
    aclnnStatus status = CheckStrides("permuteTokensOut", call.permuteTokens);
    if (status == OK && call.hasProbs) {
        status = CheckVector("permuteProbsOutOptional", call.permuteProbs, rows);
    }
    return status != OK ? status : CheckVector("sortedIndicesOut", call.indices, rows);
}

aclnnStatus TilingError(const std::string& sentence) {
    return Reject(kInnerTilingError, kFunction, sentence);
}

/// Checks rules that tiling checks later, and returns the same status as a failed tiling. Tiling
/// does not know the caller's names of the arguments.
aclnnStatus CheckTilingRules(const Call& call) {
    if (call.tokens.shape[0] != call.Tokens()) {
        return TilingError("tokens has shape " + ListText(call.tokens.shape) + " and routingMap " +
                           ListText(call.map.shape) + "; expected the same first dimension");
    }
    if (call.permuteTokens.shape[1] != call.tokens.shape[1]) {
        return TilingError("permuteTokensOut has shape " + ListText(call.permuteTokens.shape) +
                           "; expected rows of " + std::to_string(call.tokens.shape[1]) +
                           " elements, as tokens has");
    }
    if (call.pad || call.IsEmpty()) {
        return OK;
    }
    if (call.Slots() > op::kMaxSlots) {
        return TilingError("numOutTokens is " + std::to_string(call.numOutTokens) + ", that is " +
                           std::to_string(call.Slots()) + " experts for each of " +
                           std::to_string(call.Tokens()) + " tokens; expected at most " +
                           std::to_string(op::kMaxSlots));
    }
    if (call.OutRows() >= op::kExtentBelow) {
        return TilingError("numOutTokens is " + std::to_string(call.numOutTokens) +
                           " and the result has " + std::to_string(call.OutRows()) +
                           " rows; expected fewer than " + std::to_string(op::kExtentBelow));
    }
    return OK;
}

struct TensorSlot {
    const aclTensor* tensor;
    TensorView* view;
};

/// Creates a tensor of `dtype` without elements. The tensor is never destroyed. All executors share
/// the tensor, because they only read its shape.
const aclTensor* EmptyVector(aclDataType dtype) {
    const int64_t zero = 0;
    const int64_t one = 1;
    return aclCreateTensor(&zero, 1, dtype, &one, 0, ACL_FORMAT_ND, &zero, 1, nullptr);
}

/// Returns an empty vector with the dtype of `tensor`. Such vectors replace the vector outputs if
/// tokens have no columns. Then all outputs are empty, so the aclnnInner function skips the launch.
const aclTensor* EmptyVectorLike(const aclTensor* tensor) {
    static const aclTensor* const kInt32 = EmptyVector(ACL_INT32);
    static const aclTensor* const kHalf = EmptyVector(ACL_FLOAT16);
    static const aclTensor* const kBfloat16 = EmptyVector(ACL_BF16);
    static const aclTensor* const kFloat = EmptyVector(ACL_FLOAT);
    aclDataType dtype = ACL_INT32;
    if (tensor == nullptr || aclGetDataType(tensor, &dtype) != OK) {
        return nullptr;
    }
    switch (dtype) {
        case ACL_INT32:
            return kInt32;
        case ACL_FLOAT16:
            return kHalf;
        case ACL_BF16:
            return kBfloat16;
        default:
            return kFloat;
    }
}

}  // namespace
}  // namespace aclnn
}  // namespace ops

extern "C" {

aclnnStatus aclnnMoeTokenPermuteWithRoutingMapGetWorkspaceSize(
    const aclTensor* tokens, const aclTensor* routingMap, const aclTensor* probsOptional,
    int64_t numOutTokens, bool dropAndPad, aclTensor* permuteTokensOut,
    aclTensor* permuteProbsOutOptional, aclTensor* sortedIndicesOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
    using namespace ops::aclnn;
    aclnnStatus status = CheckMoeTokenPermuteWithRoutingMapPointers(
        kFunction, tokens, routingMap, permuteTokensOut, sortedIndicesOut, workspaceSize, executor);
    status = status != OK ? status : CheckOptionalPair(probsOptional, permuteProbsOutOptional);
    status = status != OK ? status
                          : CheckMoeTokenPermuteWithRoutingMapTypes(
                                kFunction, tokens, routingMap, probsOptional, permuteTokensOut,
                                permuteProbsOutOptional, sortedIndicesOut);
    Call call = Call();
    call.hasProbs = probsOptional != nullptr;
    call.pad = dropAndPad;
    call.numOutTokens = numOutTokens;
    const TensorSlot slots[] = {{tokens, &call.tokens},
                                {routingMap, &call.map},
                                {probsOptional, &call.probs},
                                {permuteTokensOut, &call.permuteTokens},
                                {permuteProbsOutOptional, &call.permuteProbs},
                                {sortedIndicesOut, &call.indices}};
    for (const TensorSlot& slot : slots) {
        const bool absent = status != OK || slot.tensor == nullptr;
        status = absent ? status : ReadView(slot.tensor, slot.view);
    }
    status = status != OK ? status : CheckInputs(call);
    status = status != OK ? status : CheckOutputs(call);
    status = status != OK ? status : CheckTilingRules(call);
    if (status != OK) {
        return status;
    }
    const bool noColumns = call.tokens.shape[1] == 0;
    const StridesAttr tokenStrides(call.permuteTokens);
    const StridesAttr probStrides(call.permuteProbs);
    const StridesAttr indexStrides(call.indices);
    return aclnnInnerMoeTokenPermuteWithRoutingMapGetWorkspaceSize(
        tokens, routingMap, probsOptional, numOutTokens, dropAndPad, tokenStrides.Get(),
        probStrides.Get(), indexStrides.Get(), permuteTokensOut,
        noColumns ? EmptyVectorLike(permuteProbsOutOptional) : permuteProbsOutOptional,
        noColumns ? EmptyVectorLike(sortedIndicesOut) : sortedIndicesOut, workspaceSize, executor);
}

}  // extern "C"
