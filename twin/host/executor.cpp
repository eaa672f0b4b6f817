// SPDX-License-Identifier: Apache-2.0
#include "host/executor.h"

#include "aclnn/aclnn_base.h"
#include "host/error.h"

namespace twin::host {

HandleTable<Executor>& Executors() {
    static auto* const executors = new HandleTable<Executor>(24);
    return *executors;
}

}  // namespace twin::host

using namespace twin::host;

namespace {

/// Returns the executor, which a table gives; nullptr is refused.
std::shared_ptr<Executor> Known(const char* function, std::shared_ptr<Executor> executor) {
    if (executor == nullptr) {
        Refuse(kAclnnInvalid,
               "%s: executor is none of this process, or was used or destroyed already", function);
    }
    return executor;
}

/// `index` counts among the tensors [begin, end) of the executor.
int SetAddress(const char* function, aclOpExecutor* handle, size_t index, aclTensor* tensor,
               void* addr, bool inputs, bool outputs) {
    return Guard(function, [&] {
        if (handle == nullptr || tensor == nullptr) {
            Refuse(kAclnnInnerNullptr, "%s: %s is null", function,
                   handle == nullptr ? "executor" : "tensor");
        }
        const auto executor = Known(function, Executors().Find(handle));
        const std::shared_ptr<MetaTensor> meta = FindTensor(tensor);
        if (meta == nullptr) {
            Refuse(kAclnnInvalid, "%s: tensor is none of this process, or destroyed already",
                   function);
        }
        std::lock_guard<std::mutex> lock(executor->mutex);
        const size_t begin = inputs ? 0 : executor->inputCount;
        const size_t end = outputs ? executor->tensors.size() : executor->inputCount;
        if (index >= end - begin) {
            Refuse(kAclnnInvalid, "%s: index is %zu; %s has %zu tensors there", function, index,
                   executor->opType.c_str(), end - begin);
        }
        ExecutorTensor& entry = executor->tensors[begin + index];
        if (entry.tensor == nullptr) {
            Refuse(kAclnnInvalid, "%s: index is %zu, where the call had no tensor", function,
                   index);
        }
        entry.address = addr;
        entry.addressSet = true;
        meta->data = addr;
    });
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
    return Guard("aclSetAclOpExecutorRepeatable", [&] {
        if (handle == nullptr) {
            Refuse(kAclnnNullptr, "aclSetAclOpExecutorRepeatable: executor is null");
        }
        const auto executor = Known("aclSetAclOpExecutorRepeatable", Executors().Find(handle));
        std::lock_guard<std::mutex> lock(executor->mutex);
        executor->repeatable = true;
    });
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* handle) {
    return Guard("aclDestroyAclOpExecutor", [&] {
        if (handle == nullptr) {
            Refuse(kAclnnNullptr, "aclDestroyAclOpExecutor: executor is null");
        }
        Known("aclDestroyAclOpExecutor", Executors().Take(handle));
    });
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
