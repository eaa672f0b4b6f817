// SPDX-License-Identifier: Apache-2.0
#include "host/builtin/builtin.h"

#include <memory>
#include <utility>
#include <vector>

#include "aclnnop/aclnn_permute.h"
#include "host/error.h"
#include "host/op_call.h"

namespace twin::host {

ExecutorTensor ResolveArgument(const char* opType, const char* label, const aclTensor* handle,
                               bool output) {
    if (handle == nullptr) {
        Refuse(kAclnnNullptr, "%s: %s is null", opType, label);
    }
    ExecutorTensor tensor;
    tensor.label = label;
    tensor.output = output;
    tensor.tensor = FindTensor(handle);
    if (tensor.tensor == nullptr) {
        Refuse(kAclnnInvalid, "%s: %s is no tensor of this process, or destroyed already", opType,
               label);
    }
    DescribeTensor(opType, &tensor);
    if (tensor.elementBits == 0 || tensor.elementBits % 8 != 0) {
        Refuse(kAclnnInvalid,
               "%s: %s has dtype %d, of %u bits; expected one whose elements are whole bytes",
               opType, label, static_cast<int>(tensor.tensor->dataType), tensor.elementBits);
    }
    return tensor;
}

void RequireResults(const char* opType, const uint64_t* workspaceSize,
                    aclOpExecutor* const* executor) {
    if (workspaceSize == nullptr || executor == nullptr) {
        Refuse(kAclnnNullptr, "%s: %s is null", opType,
               workspaceSize == nullptr ? "workspaceSize" : "executor");
    }
}

std::shared_ptr<MetaArray<int64_t>> ResolveArray(const char* opType, const char* label,
                                                 const aclIntArray* handle) {
    if (handle == nullptr) {
        Refuse(kAclnnNullptr, "%s: %s is null", opType, label);
    }
    auto array = FindIntArray(handle);
    if (array == nullptr) {
        Refuse(kAclnnInvalid, "%s: %s is no array of this process, or destroyed already", opType,
               label);
    }
    return array;
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

namespace {

constexpr char kName[] = "aclnnPermute";
constexpr size_t kMostDims = 8;

/// Converts `dims` to indices from the front; each dimension must occur once.
std::vector<size_t> ReadOrder(const aclIntArray* dims, size_t rank) {
    const auto array = ResolveArray(kName, "dims", dims);
    std::vector<size_t> order;
    std::vector<bool> taken(rank, false);
    for (int64_t dim : array->values) {
        const int64_t index = dim < 0 ? dim + static_cast<int64_t>(rank) : dim;
        if (index >= 0 && index < static_cast<int64_t>(rank) && !taken[index]) {
            taken[index] = true;
            order.push_back(static_cast<size_t>(index));
        }
    }
    if (array->values.size() != rank || order.size() != rank) {
        Refuse(kAclnnInvalid, "%s: dims is %s; expected each of the %zu dimensions of self once",
               kName, ListText(array->values).c_str(), rank);
    }
    return order;
}

void CheckOut(const ExecutorTensor& self, const ExecutorTensor& out) {
    if (self.tensor->dataType != out.tensor->dataType) {
        Refuse(kAclnnInvalid, "%s: self has dtype %d and out %d; expected the same", kName,
               static_cast<int>(self.tensor->dataType), static_cast<int>(out.tensor->dataType));
    }
    if (self.view.dims != out.view.dims) {
        Refuse(kAclnnInvalid, "%s: out has shape %s; expected %s, that of self in order dims",
               kName, ListText(out.view.dims).c_str(), ListText(self.view.dims).c_str());
    }
    if (!IsContiguous(out.view)) {
        Refuse(kAclnnInvalid, "%s: out has strides %s; expected a contiguous tensor", kName,
               ListText(out.view.strides).c_str());
    }
}

/// `tensors` are self, with its dimensions in the new order, and out.
LaunchResult Permute(const std::vector<ExecutorTensor>& tensors, uint32_t threads) {
    const ExecutorTensor& self = tensors[0];
    const ExecutorTensor& out = tensors[1];
    GmRange target;
    target.begin = ElementAddress(out, out.offset);
    target.bytes = out.Bytes();
    target.label = out.label;
    LaunchResult result =
        CheckAllocated(target, true, "check the shape and offset given to aclCreateTensor");
    if (result.status != kLaunchOk) {
        return result;
    }
    return Gather(self, ElementAddress(self, self.offset), reinterpret_cast<uint8_t*>(target.begin),
                  threads);
}

void PlanPermute(const aclTensor* selfHandle, const aclIntArray* dims, const aclTensor* outHandle,
                 uint64_t* workspaceSize, aclOpExecutor** executor) {
    ExecutorTensor self = ResolveArgument(kName, "self", selfHandle, false);
    const ExecutorTensor out = ResolveArgument(kName, "out", outHandle, true);
    RequireResults(kName, workspaceSize, executor);
    const size_t rank = self.view.dims.size();
    if (rank > kMostDims) {
        Refuse(kAclnnInvalid, "%s: self has %zu dimensions; expected at most %zu", kName, rank,
               kMostDims);
    }
    const std::vector<size_t> order = ReadOrder(dims, rank);
    const StridedView original = self.view;
    for (size_t i = 0; i < rank; ++i) {
        self.view.dims[i] = original.dims[order[i]];
        self.view.strides[i] = original.strides[order[i]];
    }
    CheckOut(self, out);
    const bool empty = self.extent.elements == 0;
    const auto nothing = [](const std::vector<ExecutorTensor>&, uint32_t) {
        return LaunchResult();
    };
    HandOut(kName, {self}, {out}, empty ? HostWork(nothing) : Permute, workspaceSize, executor);
}

}  // namespace
}  // namespace twin::host

namespace host = twin::host;

extern "C" {

aclnnStatus aclnnPermuteGetWorkspaceSize(const aclTensor* self, const aclIntArray* dims,
                                         aclTensor* out, uint64_t* workspaceSize,
                                         aclOpExecutor** executor) {
    return host::Guard(host::kName,
                       [=] { host::PlanPermute(self, dims, out, workspaceSize, executor); });
}

aclnnStatus aclnnPermute(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                         aclrtStream stream) {
    return host::RunExecutor(host::kName, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
