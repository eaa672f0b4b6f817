// SPDX-License-Identifier: Apache-2.0
#include "host/builtin/builtin.h"

#include <memory>
#include <utility>

#include "host/error.h"

namespace twin::host {

int ResolveArgument(const char* opType, const char* label, const aclTensor* handle, bool output,
                    ExecutorTensor* tensor) {
    if (handle == nullptr) {
        return Fail(kAclnnNullptr, "%s: %s is null", opType, label);
    }
    tensor->label = label;
    tensor->output = output;
    tensor->tensor = FindTensor(handle);
    if (tensor->tensor == nullptr) {
        return Fail(kAclnnInvalid, "%s: %s is no tensor of this process, or destroyed already",
                    opType, label);
    }
    if (int status = DescribeTensor(opType, tensor)) {
        return status;
    }
    if (tensor->elementBits == 0 || tensor->elementBits % 8 != 0) {
        return Fail(kAclnnInvalid,
                    "%s: %s has dtype %d, of %u bits; expected one whose elements are whole bytes",
                    opType, label, static_cast<int>(tensor->tensor->dataType), tensor->elementBits);
    }
    return OK;
}

int RequireResults(const char* opType, const uint64_t* workspaceSize,
                   aclOpExecutor* const* executor) {
    if (workspaceSize != nullptr && executor != nullptr) {
        return OK;
    }
    return Fail(kAclnnNullptr, "%s: %s is null", opType,
                workspaceSize == nullptr ? "workspaceSize" : "executor");
}

void HandOut(const char* opType, std::vector<ExecutorTensor> inputs,
             std::vector<ExecutorTensor> outputs, HostWork work, uint64_t* workspaceSize,
             aclOpExecutor** executor) {
    auto made = std::make_shared<Executor>();
    made->opType = opType;
    made->inputCount = inputs.size();
    made->tensors = std::move(inputs);
    for (ExecutorTensor& tensor : outputs) {
        made->tensors.push_back(std::move(tensor));
    }
    made->hostWork = std::move(work);
    *workspaceSize = 0;
    *executor = static_cast<aclOpExecutor*>(Executors().Add(made));
}

}  // namespace twin::host
