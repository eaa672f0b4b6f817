// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <memory>
#include <new>
#include <utility>

#include "host/error.h"
#include "host/executor.h"

using twin::host::Fail;
using twin::host::kAclnnInvalid;
using twin::host::kAclnnNullptr;
using twin::host::MetaTables;
using twin::host::MetaTensor;
using twin::host::ReadFromCaller;

namespace twin::host {

MetaTables& MetaTables::Instance() {
    static MetaTables* const tables = new MetaTables;
    return *tables;
}

std::shared_ptr<MetaTensor> FindTensor(const aclTensor* tensor) {
    return MetaTables::Instance().tensors.Find(tensor);
}

std::shared_ptr<MetaArray<int64_t>> FindIntArray(const aclIntArray* array) {
    return MetaTables::Instance().intArrays.Find(array);
}

}  // namespace twin::host

namespace {

constexpr uint64_t kMaxRank =
    1024;  // far more than any operator has; prevents the allocation of an absurd number

std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& dims) {
    std::vector<int64_t> strides(dims.size());
    // This is unsigned, because absurd shapes may wrap here; they are refused when an operator uses
    // them.
    uint64_t product = 1;
    for (size_t i = dims.size(); i-- > 0;) {
        strides[i] = static_cast<int64_t>(product);
        product *= static_cast<uint64_t>(dims[i]);
    }
    return strides;
}

/// The arguments of a tensor, which are moved to `tensor` when all of them are valid.
int Fill(const char* function, MetaTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
         aclDataType dataType, const int64_t* stride, int64_t offset, aclFormat format,
         const int64_t* storageDims, uint64_t storageDimsNum, void* data) {
    if (viewDimsNum > kMaxRank || storageDimsNum > kMaxRank) {
        return Fail(kAclnnInvalid,
                    "%s: viewDimsNum is %" PRIu64 " and storageDimsNum %" PRIu64
                    "; expected at most %" PRIu64,
                    function, viewDimsNum, storageDimsNum, kMaxRank);
    }
    MetaTensor filled;
    TWIN_RETURN_IF_ERROR(
        ReadFromCaller(function, "viewDims", viewDims, viewDimsNum, &filled.viewDims));
    TWIN_RETURN_IF_ERROR(
        ReadFromCaller(function, "storageDims", storageDims, storageDimsNum, &filled.storageDims));
    if (stride == nullptr) {
        filled.strides = ContiguousStrides(filled.viewDims);
    } else if (int status =
                   ReadFromCaller(function, "stride", stride, viewDimsNum, &filled.strides)) {
        return status;
    }
    filled.offset = offset;
    filled.dataType = dataType;
    filled.format = format;
    filled.data = data;
    *tensor = std::move(filled);
    return OK;
}

/// The tensor of a getter's argument; `out` are the getter's other pointers.
int Resolve(const char* function, const aclTensor* handle, bool outsGiven,
            std::shared_ptr<MetaTensor>* tensor) {
    if (handle == nullptr || !outsGiven) {
        return Fail(kAclnnNullptr, "%s: %s is null", function,
                    handle == nullptr ? "tensor" : "the result pointer");
    }
    *tensor = twin::host::FindTensor(handle);
    if (*tensor != nullptr) {
        return OK;
    }
    return Fail(kAclnnInvalid, "%s: tensor is no tensor of this process, or destroyed already",
                function);
}

/// The caller deletes the copy with delete[].
int CopyOut(const char* function, const std::vector<int64_t>& values, int64_t** out,
            uint64_t* count) {
    int64_t* const copy = new (std::nothrow) int64_t[values.size()];
    if (copy == nullptr) {
        return Fail(twin::host::kAclnnInner, "%s: no memory left", function);
    }
    std::copy(values.begin(), values.end(), copy);
    *out = copy;
    *count = values.size();
    return OK;
}

}  // namespace

extern "C" {

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
    void* handle = nullptr;
    twin::host::Guard("aclCreateTensor", [&]() -> int {
        auto tensor = std::make_shared<MetaTensor>();
        TWIN_RETURN_IF_ERROR(Fill("aclCreateTensor", tensor.get(), viewDims, viewDimsNum, dataType,
                                  stride, offset, format, storageDims, storageDimsNum, tensorData));
        handle = MetaTables::Instance().tensors.Add(std::move(tensor));
        return OK;
    });
    return static_cast<aclTensor*>(handle);
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t* stride, int64_t offset,
                          aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                          void* tensorDataAddr) {
    return twin::host::Guard("aclInitTensor", [&]() -> int {
        std::shared_ptr<MetaTensor> found;
        TWIN_RETURN_IF_ERROR(Resolve("aclInitTensor", tensor, true, &found));
        return Fill("aclInitTensor", found.get(), viewDims, viewDimsNum, dataType, stride, offset,
                    format, storageDims, storageDimsNum, tensorDataAddr);
    });
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
    MetaTables::Instance().tensors.Take(tensor);
    return OK;
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
    std::shared_ptr<MetaTensor> found;
    TWIN_RETURN_IF_ERROR(Resolve("aclGetViewShape", tensor, viewDims && viewDimsNum, &found));
    return CopyOut("aclGetViewShape", found->viewDims, viewDims, viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                               uint64_t* storageDimsNum) {
    std::shared_ptr<MetaTensor> found;
    TWIN_RETURN_IF_ERROR(
        Resolve("aclGetStorageShape", tensor, storageDims && storageDimsNum, &found));
    return CopyOut("aclGetStorageShape", found->storageDims, storageDims, storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                              uint64_t* stridesNum) {
    std::shared_ptr<MetaTensor> found;
    TWIN_RETURN_IF_ERROR(Resolve("aclGetViewStrides", tensor, stridesValue && stridesNum, &found));
    return CopyOut("aclGetViewStrides", found->strides, stridesValue, stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
    std::shared_ptr<MetaTensor> found;
    TWIN_RETURN_IF_ERROR(Resolve("aclGetViewOffset", tensor, offset != nullptr, &found));
    *offset = found->offset;
    return OK;
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
    std::shared_ptr<MetaTensor> found;
    TWIN_RETURN_IF_ERROR(Resolve("aclGetFormat", tensor, format != nullptr, &found));
    *format = found->format;
    return OK;
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
    std::shared_ptr<MetaTensor> found;
    TWIN_RETURN_IF_ERROR(Resolve("aclGetDataType", tensor, dataType != nullptr, &found));
    *dataType = found->dataType;
    return OK;
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
    std::shared_ptr<MetaTensor> found;
    TWIN_RETURN_IF_ERROR(Resolve("aclSetRawTensorAddr", tensor, true, &found));
    found->data = addr;
    return OK;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
    std::shared_ptr<MetaTensor> found;
    TWIN_RETURN_IF_ERROR(Resolve("aclGetRawTensorAddr", tensor, addr != nullptr, &found));
    *addr = found->data;
    return OK;
}

}  // extern "C"
