// SPDX-License-Identifier: Apache-2.0
#include "host/executor.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "aclnn/aclnn_base.h"
#include "exe_graph/runtime/shape.h"
#include "graph/types.h"
#include "host/error.h"
#include "host/op_model.h"

namespace twin::host {
namespace {

/// Returns true if no element is before the storage, and all offsets are so small that later
/// additions cannot overflow.
bool FitsMemory(const ExecutorTensor& tensor) {
    constexpr int64_t kMostBits = int64_t{1} << 62;
    int64_t first = 0;
    int64_t last = 0;
    int64_t bits = 0;
    if (tensor.extent.elements == 0) {
        return true;
    }
    if (__builtin_mul_overflow(tensor.extent.elements, int64_t{tensor.elementBits}, &bits) ||
        __builtin_add_overflow(tensor.offset, tensor.extent.first, &first) ||
        __builtin_add_overflow(tensor.offset, tensor.extent.last, &last)) {
        return false;
    }
    const int64_t most = kMostBits / std::max<int64_t>(tensor.elementBits, 1);
    return bits <= kMostBits && first >= 0 && last < most;
}

}  // namespace

HandleTable<Executor>& Executors() {
    static auto* const executors = new HandleTable<Executor>(24);
    return *executors;
}

std::string ListText(const std::vector<int64_t>& values) {
    return "(" + Joined(values, [](int64_t value) { return std::to_string(value); }) + ")";
}

void DescribeTensor(const std::string& opType, ExecutorTensor* tensor) {
    if (tensor->values != nullptr) {
        tensor->view.dims = tensor->values->dims;
        tensor->view.strides.assign(tensor->view.dims.size(), 1);
        tensor->elementBits = static_cast<uint32_t>(
            ge::GetSizeByDataType(tensor->values->dataType) * static_cast<int>(kBitsPerByte));
        ExtentOf(tensor->view, &tensor->extent);
        return;
    }
    const MetaTensor& meta = *tensor->tensor;
    tensor->view = {meta.viewDims, meta.strides};
    tensor->offset = meta.offset;
    if (meta.viewDims.size() > gert::Shape::kMaxDimNum) {
        Refuse(kAclnnInvalid, "%s: %s has %zu dimensions; expected at most %zu", opType.c_str(),
               tensor->label.c_str(), meta.viewDims.size(), gert::Shape::kMaxDimNum);
    }
    const int size = ge::GetSizeByDataType(static_cast<ge::DataType>(meta.dataType));
    tensor->elementBits = static_cast<uint32_t>(size >= ge::kDataTypeSizeBitOffset
                                                    ? size - ge::kDataTypeSizeBitOffset
                                                    : std::max(size, 0) * kBitsPerByte);
    if (!ExtentOf(tensor->view, &tensor->extent) || !FitsMemory(*tensor)) {
        Refuse(kAclnnInvalid,
               "%s: %s has shape %s, strides %s and offset %" PRId64
               "; a dimension is negative, or some element lies before the storage or beyond "
               "2^59 bytes",
               opType.c_str(), tensor->label.c_str(), ListText(meta.viewDims).c_str(),
               ListText(meta.strides).c_str(), meta.offset);
    }
}

uintptr_t ElementAddress(const ExecutorTensor& tensor, int64_t element) {
    const auto base = reinterpret_cast<uintptr_t>(tensor.Base());
    return base + static_cast<uintptr_t>(element * static_cast<int64_t>(tensor.elementBits) /
                                         kBitsPerByte);
}

LaunchResult DeviceFault(std::string message) {
    LaunchResult result;
    result.status = kLaunchAivException;
    result.message = std::move(message);
    return result;
}

LaunchResult CheckAllocated(const GmRange& need, bool written, const char* advice) {
    GmRange allocation;
    const bool found = GmRegistry::Instance().Find(need.begin, &allocation);
    if (found && need.bytes <= allocation.End() - need.begin && !(written && allocation.readOnly)) {
        return LaunchResult();
    }
    char text[512];
    if (!found) {
        std::snprintf(text, sizeof(text),
                      "T102 unknown GM address: %s begins at 0x%" PRIxPTR
                      ", which is in no allocation of the device\n  try: pass an "
                      "address from aclrtMalloc that was not freed",
                      need.label.c_str(), need.begin);
    } else if (written && allocation.readOnly) {
        std::snprintf(text, sizeof(text),
                      "T105 write to a read-only tensor: %s lies in %s, which is registered as "
                      "read-only\n  try: memory from aclrtMalloc",
                      need.label.c_str(), allocation.label.c_str());
    } else {
        std::snprintf(text, sizeof(text),
                      "T101 GM out of bounds: %s covers %" PRIu64 " B from byte %" PRIu64
                      " of %s, which has %" PRIu64 " B\n  try: %s",
                      need.label.c_str(), need.bytes,
                      static_cast<uint64_t>(need.begin - allocation.begin),
                      allocation.label.c_str(), allocation.bytes, advice);
    }
    return DeviceFault(text);
}

LaunchResult Gather(const ExecutorTensor& tensor, uintptr_t base, uint8_t* target,
                    uint32_t threads) {
    const uint64_t elementBytes = tensor.elementBits / kBitsPerByte;
    GmRange need;
    need.begin =
        base + static_cast<uintptr_t>(tensor.extent.first * static_cast<int64_t>(elementBytes));
    need.bytes = static_cast<uint64_t>(tensor.extent.last - tensor.extent.first + 1) * elementBytes;
    need.label = tensor.label;
    LaunchResult result =
        CheckAllocated(need, false, "check the shape, strides and offset given to aclCreateTensor");
    MemoryFault fault;
    if (result.status == kLaunchOk &&
        !CopyStrided(reinterpret_cast<const void*>(base), tensor.view,
                     static_cast<uint32_t>(elementBytes), target, threads, &fault)) {
        result =
            DeviceFault(Describe(fault, "the copy of " + tensor.label + " into the workspace"));
    }
    return result;
}

}  // namespace twin::host

using namespace twin::host;

namespace {

/// Returns `executor`, the result of a look-up; refuses the call if it is nullptr.
std::shared_ptr<Executor> Known(const char* function, std::shared_ptr<Executor> executor) {
    if (executor == nullptr) {
        Refuse(kAclnnInvalid,
               "%s: executor is none of this process, or was used or destroyed already", function);
    }
    return executor;
}

/// Sets the address of one tensor. `index` counts the `inputs`, the `outputs`, or all if both.
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

/// Sets the address of tensor `relativeIndex` of a list. `irIndex` counts the inputs, the outputs,
/// or all parameters if both.
int SetDynamicAddress(const char* function, aclOpExecutor* handle, size_t irIndex,
                      size_t relativeIndex, aclTensorList* tensors, void* addr, bool inputs,
                      bool outputs) {
    return Guard(function, [&] {
        if (handle == nullptr || tensors == nullptr) {
            Refuse(kAclnnInnerNullptr, "%s: %s is null", function,
                   handle == nullptr ? "executor" : "tensors");
        }
        const auto executor = Known(function, Executors().Find(handle));
        const auto list = MetaTables::Instance().tensorLists.Find(tensors);
        if (list == nullptr || relativeIndex >= list->values.size()) {
            Refuse(kAclnnInvalid, "%s: tensors is no list of this process with a tensor %zu",
                   function, relativeIndex);
        }
        const auto meta = FindTensor(static_cast<const aclTensor*>(list->values[relativeIndex]));
        std::lock_guard<std::mutex> lock(executor->mutex);
        const ExecutorParam* found = nullptr;
        size_t index = 0;
        for (const ExecutorParam& param : executor->params) {
            if ((param.output ? outputs : inputs) && index++ == irIndex) {
                found = &param;
            }
        }
        if (meta == nullptr || found == nullptr || !found->list || relativeIndex >= found->count) {
            Refuse(kAclnnInvalid, "%s: %s has no tensor %zu in a dynamic parameter %zu there",
                   function, executor->opType.c_str(), relativeIndex, irIndex);
        }
        ExecutorTensor& entry = executor->tensors[found->first + relativeIndex];
        entry.address = addr;
        entry.addressSet = true;
        meta->data = addr;
    });
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

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                         const size_t relativeIndex, aclTensorList* tensors,
                                         void* addr) {
    return SetDynamicAddress("aclSetDynamicInputTensorAddr", executor, irIndex, relativeIndex,
                             tensors, addr, true, false);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                          const size_t relativeIndex, aclTensorList* tensors,
                                          void* addr) {
    return SetDynamicAddress("aclSetDynamicOutputTensorAddr", executor, irIndex, relativeIndex,
                             tensors, addr, false, true);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                    const size_t relativeIndex, aclTensorList* tensors,
                                    void* addr) {
    return SetDynamicAddress("aclSetDynamicTensorAddr", executor, irIndex, relativeIndex, tensors,
                             addr, true, true);
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
