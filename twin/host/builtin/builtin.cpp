// SPDX-License-Identifier: Apache-2.0
// Operators of the toolkit that change the layout of tensors (permutation, ND to FRACTAL_NZ). They
// run on the host, without a kernel and without simulated time.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "core/core_output.h"
#include "host/error.h"
#include "host/executor.h"
#include "host/op_call.h"

namespace twin::host {
namespace {

/// Looks up a tensor argument. Refuses null (161001). Refuses an unknown handle, sizes that
/// overflow and dtypes whose elements are not whole bytes (161002).
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

/// Refuses a call (161001) unless both pointers are given.
void RequireResults(const char* opType, const uint64_t* workspaceSize,
                    aclOpExecutor* const* executor) {
    if (workspaceSize == nullptr || executor == nullptr) {
        Refuse(kAclnnNullptr, "%s: %s is null", opType,
               workspaceSize == nullptr ? "workspaceSize" : "executor");
    }
}

/// Looks up an array argument. Refuses null (161001) and an unknown handle (161002).
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

/// Makes the executor of an operator without workspace. RunExecutor calls `work` in phase 2.
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

constexpr char kName[] = "aclnnPermute";
constexpr size_t kMostDims = 8;

/// Converts `dims` to indices without negative numbers; each dimension must occur once.
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

/// Copies self to out. `tensors` is {self, out}; the dimensions of self have the new order.
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

constexpr char kWeightFunction[] = "aclnnTransMatmulWeight";
constexpr int64_t kFractalRows = 16;
constexpr int64_t kBlockBytes = 32;
constexpr size_t kMostWeightDims = 6;

bool HasNzLayout(aclDataType dataType) {
    return dataType == ACL_INT8 || dataType == ACL_FLOAT16 || dataType == ACL_BF16;
}

/// Sizes of weights in FRACTAL_NZ. Each matrix is divided into stripes of columns. A stripe has all
/// rows, is 32 B wide, and is stored row by row.
struct NzWeights {
    int64_t matrices = 1;
    int64_t rows = 0;
    int64_t cols = 0;
    int64_t paddedRows = 0;
    int64_t stripes = 0;
    int64_t stripeCols = 0;
    int64_t elements = 0;  ///< number of elements of all matrices, including padding
};

NzWeights DescribeWeights(const char* function, const std::vector<int64_t>& shape,
                          aclDataType dataType, size_t mostDims) {
    const bool positive =
        std::all_of(shape.begin(), shape.end(), [](int64_t dim) { return dim > 0; });
    if (shape.size() < 2 || shape.size() > mostDims || !positive) {
        Refuse(kAclnnInvalid,
               "%s: the weights have shape %s; expected (batch..., rows, columns), 2 to %zu "
               "dimensions, none of them 0",
               function, ListText(shape).c_str(), mostDims);
    }
    constexpr int64_t kMostElements = int64_t{1} << 48;
    NzWeights weights;
    weights.rows = shape[shape.size() - 2];
    weights.cols = shape.back();
    // All dtypes except int8 count as 16-bit elements, as in the toolkit.
    weights.stripeCols = dataType == ACL_INT8 ? kBlockBytes : kBlockBytes / 2;
    bool fits = weights.rows <= kMostElements && weights.cols <= kMostElements;
    if (fits) {
        weights.paddedRows = (weights.rows + kFractalRows - 1) / kFractalRows * kFractalRows;
        weights.stripes = (weights.cols + weights.stripeCols - 1) / weights.stripeCols;
        fits = !__builtin_mul_overflow(weights.paddedRows, weights.stripes * weights.stripeCols,
                                       &weights.elements);
    }
    for (size_t i = 0; i + 2 < shape.size() && fits; ++i) {
        fits = !__builtin_mul_overflow(weights.matrices, shape[i], &weights.matrices) &&
               !__builtin_mul_overflow(weights.elements, shape[i], &weights.elements);
    }
    if (!fits || weights.elements > kMostElements) {
        Refuse(kAclnnInvalid, "%s: the weights have shape %s, more than 2^48 elements", function,
               ListText(shape).c_str());
    }
    return weights;
}

void WeightSize(const char* function, const aclIntArray* tensorShape, aclDataType dataType,
                size_t mostDims, uint64_t* weightTensorSize) {
    if (tensorShape == nullptr || weightTensorSize == nullptr) {
        Refuse(kAclnnNullptr, "%s: %s is null", function,
               tensorShape == nullptr ? "tensorShape" : "weightTensorSize");
    }
    const auto array = ResolveArray(function, "tensorShape", tensorShape);
    *weightTensorSize = static_cast<uint64_t>(
        DescribeWeights(function, array->values, dataType, mostDims).elements);
}

/// Converts matrices from ND without padding to FRACTAL_NZ with padding.
void ToStripes(const uint8_t* from, const NzWeights& weights, int64_t bytes, uint8_t* to) {
    const int64_t rowBytes = weights.cols * bytes;
    for (int64_t matrix = 0; matrix < weights.matrices; ++matrix) {
        for (int64_t stripe = 0; stripe < weights.stripes; ++stripe) {
            const int64_t first = stripe * kBlockBytes;
            const auto count = static_cast<size_t>(std::min(kBlockBytes, rowBytes - first));
            for (int64_t row = 0; row < weights.rows; ++row) {
                std::memcpy(to + row * kBlockBytes, from + row * rowBytes + first, count);
            }
            to += weights.paddedRows * kBlockBytes;
        }
        from += weights.rows * rowBytes;
    }
}

LaunchResult Transform(const ExecutorTensor& tensor, const NzWeights& weights) {
    const int64_t bytes = tensor.elementBits / 8;
    GmRange range;
    range.begin = ElementAddress(tensor, tensor.offset);
    range.bytes = static_cast<uint64_t>(weights.elements * bytes);
    range.label = tensor.label;
    LaunchResult result =
        CheckAllocated(range, true, "allocate what aclnnCalculateMatmulWeightSizeV2 says");
    if (result.status != kLaunchOk) {
        return result;
    }
    std::vector<uint8_t> stripes(range.bytes, 0);
    auto* const memory = reinterpret_cast<uint8_t*>(range.begin);
    MemoryFault fault;
    const auto convert = [&] {
        ToStripes(memory, weights, bytes, stripes.data());
        std::memcpy(memory, stripes.data(), stripes.size());
    };
    if (!Contained(convert, &fault)) {
        return DeviceFault(Describe(fault, "the conversion of mmWeightRef"));
    }
    return result;
}

void PlanTransform(const aclTensor* handle, uint64_t* workspaceSize, aclOpExecutor** executor) {
    const ExecutorTensor tensor = ResolveArgument(kWeightFunction, "mmWeightRef", handle, true);
    RequireResults(kWeightFunction, workspaceSize, executor);
    if (!HasNzLayout(tensor.tensor->dataType)) {
        Refuse(kAclnnInvalid, "%s: mmWeightRef has dtype %d; expected float16, bfloat16 or int8",
               kWeightFunction, static_cast<int>(tensor.tensor->dataType));
    }
    const NzWeights weights = DescribeWeights(kWeightFunction, tensor.view.dims,
                                              tensor.tensor->dataType, kMostWeightDims);
    if (tensor.tensor->format != ACL_FORMAT_ND) {
        Refuse(kAclnnInvalid, "%s: mmWeightRef has format %d; expected ND (%d)", kWeightFunction,
               static_cast<int>(tensor.tensor->format), static_cast<int>(ACL_FORMAT_ND));
    }
    if (!IsContiguous(tensor.view)) {
        Refuse(kAclnnInvalid,
               "%s: mmWeightRef has shape %s and strides %s; expected a "
               "contiguous tensor",
               kWeightFunction, ListText(tensor.view.dims).c_str(),
               ListText(tensor.view.strides).c_str());
    }
    std::vector<int64_t>& storage = tensor.tensor->storageDims;
    storage.assign(tensor.view.dims.begin(), tensor.view.dims.end() - 2);
    storage.insert(storage.end(), {weights.stripes, weights.paddedRows / kFractalRows, kFractalRows,
                                   weights.stripeCols});
    tensor.tensor->format = ACL_FORMAT_FRACTAL_NZ;
    const auto work = [weights](const std::vector<ExecutorTensor>& tensors, uint32_t) {
        return Transform(tensors[0], weights);
    };
    HandOut(kWeightFunction, {}, {tensor}, work, workspaceSize, executor);
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

aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape, aclDataType dataType,
                                             uint64_t* weightTensorSize) {
    constexpr char kFunction[] = "aclnnCalculateMatmulWeightSizeV2";
    return host::Guard(kFunction, [=] {
        host::WeightSize(kFunction, tensorShape, dataType, host::kMostWeightDims, weightTensorSize);
    });
}

aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray* tensorShape,
                                           uint64_t* weightTensorSize) {
    constexpr char kFunction[] = "aclnnCalculateMatmulWeightSize";
    constexpr size_t kMost = 3;
    return host::Guard(kFunction, [=] {
        host::WeightSize(kFunction, tensorShape, ACL_FLOAT16, kMost, weightTensorSize);
    });
}

aclnnStatus aclnnTransMatmulWeightGetWorkspaceSize(aclTensor* mmWeightRef, uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
    return host::Guard(host::kWeightFunction,
                       [=] { host::PlanTransform(mmWeightRef, workspaceSize, executor); });
}

aclnnStatus aclnnTransMatmulWeight(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream) {
    return host::RunExecutor(host::kWeightFunction, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
