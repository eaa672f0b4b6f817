// SPDX-License-Identifier: Apache-2.0
#include "host/executor.h"

#include "aclnn/aclnn_base.h"
#include "host/error.h"

using twin::host::Executor;
using twin::host::Executors;
using twin::host::ExecutorTensor;
using twin::host::Fail;
using twin::host::kAclnnInnerNullptr;
using twin::host::kAclnnInvalid;
using twin::host::kAclnnNullptr;

namespace twin::host {

HandleTable<Executor>& Executors() {
    static auto* const executors = new HandleTable<Executor>(24);
    return *executors;
}

}  // namespace twin::host

namespace {

int Find(const char* function, const aclOpExecutor* handle, std::shared_ptr<Executor>* executor) {
    *executor = Executors().Find(handle);
    if (*executor != nullptr) {
        return OK;
    }
    return Fail(kAclnnInvalid,
                "%s: executor is none of this process, or was used or destroyed already", function);
}

/// `index` counts among the tensors [begin, end) of the executor.
int SetAddress(const char* function, aclOpExecutor* handle, size_t index, aclTensor* tensor,
               void* addr, bool inputs, bool outputs) {
    if (handle == nullptr || tensor == nullptr) {
        return Fail(kAclnnInnerNullptr, "%s: %s is null", function,
                    handle == nullptr ? "executor" : "tensor");
    }
    std::shared_ptr<Executor> executor;
    TWIN_RETURN_IF_ERROR(Find(function, handle, &executor));
    const std::shared_ptr<twin::host::MetaTensor> meta = twin::host::FindTensor(tensor);
    if (meta == nullptr) {
        return Fail(kAclnnInvalid, "%s: tensor is none of this process, or destroyed already",
                    function);
    }
    std::lock_guard<std::mutex> lock(executor->mutex);
    const size_t begin = inputs ? 0 : executor->inputCount;
    const size_t end = outputs ? executor->tensors.size() : executor->inputCount;
    if (index >= end - begin) {
        return Fail(kAclnnInvalid, "%s: index is %zu; %s has %zu tensors there", function, index,
                    executor->opType.c_str(), end - begin);
    }
    ExecutorTensor& entry = executor->tensors[begin + index];
    if (entry.tensor == nullptr) {
        return Fail(kAclnnInvalid, "%s: index is %zu, where the call had no tensor", function,
                    index);
    }
    entry.address = addr;
    entry.addressSet = true;
    meta->data = addr;
    return OK;
}

int NoDynamic(const char* function) {
    return Fail(kAclnnInvalid, "%s: no operator of the twin has dynamic inputs or outputs",
                function);
}

}  // namespace

extern "C" {

aclnnStatus aclnnInit(const char*) { return OK; }

aclnnStatus aclnnFinalize() { return OK; }

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* handle) {
    if (handle == nullptr) {
        return Fail(kAclnnNullptr, "aclSetAclOpExecutorRepeatable: executor is null");
    }
    std::shared_ptr<Executor> executor;
    TWIN_RETURN_IF_ERROR(Find("aclSetAclOpExecutorRepeatable", handle, &executor));
    std::lock_guard<std::mutex> lock(executor->mutex);
    executor->repeatable = true;
    return OK;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* handle) {
    if (handle == nullptr) {
        return Fail(kAclnnNullptr, "aclDestroyAclOpExecutor: executor is null");
    }
    if (Executors().Take(handle) != nullptr) {
        return OK;
    }
    return Fail(kAclnnInvalid,
                "aclDestroyAclOpExecutor: executor is none of this process, or was used or "
                "destroyed already");
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                  void* addr) {
    return SetAddress("aclSetInputTensorAddr", executor, index, tensor, addr, true, false);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                   void* addr) {
    return SetAddress("aclSetOutputTensorAddr", executor, index, tensor, addr, false, true);
}

aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                             void* addr) {
    return SetAddress("aclSetTensorAddr", executor, index, tensor, addr, true, true);
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor*, size_t, const size_t, aclTensorList*,
                                         void*) {
    return NoDynamic("aclSetDynamicInputTensorAddr");
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor*, size_t, const size_t, aclTensorList*,
                                          void*) {
    return NoDynamic("aclSetDynamicOutputTensorAddr");
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor*, size_t, const size_t, aclTensorList*, void*) {
    return NoDynamic("aclSetDynamicTensorAddr");
}

aclnnStatus AclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                  void* addr) {
    return aclSetInputTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                   void* addr) {
    return aclSetOutputTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                             void* addr) {
    return aclSetTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                         const size_t relativeIndex, aclTensorList* tensors,
                                         void* addr) {
    return aclSetDynamicInputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                          const size_t relativeIndex, aclTensorList* tensors,
                                          void* addr) {
    return aclSetDynamicOutputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                    const size_t relativeIndex, aclTensorList* tensors,
                                    void* addr) {
    return aclSetDynamicTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

}  // extern "C"
