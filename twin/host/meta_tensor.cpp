// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <memory>
#include <new>
#include <utility>

#include "host/error.h"
#include "host/executor.h"

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

using namespace twin::host;

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
void Fill(const char* function, MetaTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
          aclDataType dataType, const int64_t* stride, int64_t offset, aclFormat format,
          const int64_t* storageDims, uint64_t storageDimsNum, void* data) {
    if (viewDimsNum > kMaxRank || storageDimsNum > kMaxRank) {
        Refuse(kAclnnInvalid,
               "%s: viewDimsNum is %" PRIu64 " and storageDimsNum %" PRIu64
               "; expected at most %" PRIu64,
               function, viewDimsNum, storageDimsNum, kMaxRank);
    }
    MetaTensor filled;

    ReadFromCaller(function, "viewDims", viewDims, viewDimsNum, &filled.viewDims);

    ReadFromCaller(function, "storageDims", storageDims, storageDimsNum, &filled.storageDims);
    if (stride == nullptr) {
        filled.strides = ContiguousStrides(filled.viewDims);
    } else {
        ReadFromCaller(function, "stride", stride, viewDimsNum, &filled.strides);
    }
    filled.offset = offset;
    filled.dataType = dataType;
    filled.format = format;
    filled.data = data;
    *tensor = std::move(filled);
}

/// Calls use(tensor); `outsGiven`: the function's other pointers are not null.
template <typename Use>
aclnnStatus With(const char* function, const aclTensor* handle, bool outsGiven, const Use& use) {
    return Guard(function, [&] {
        if (handle == nullptr || !outsGiven) {
            Refuse(kAclnnNullptr, "%s: %s is null", function,
                   handle == nullptr ? "tensor" : "the result pointer");
        }
        const std::shared_ptr<MetaTensor> tensor = FindTensor(handle);
        if (tensor == nullptr) {
            Refuse(kAclnnInvalid, "%s: tensor is no tensor of this process, or destroyed already",
                   function);
        }
        use(*tensor);
    });
}

/// The caller deletes the copy with delete[].
void CopyOut(const char* function, const std::vector<int64_t>& values, int64_t** out,
             uint64_t* count) {
    int64_t* const copy = new (std::nothrow) int64_t[values.size()];
    if (copy == nullptr) {
        Refuse(kAclnnInner, "%s: no memory left", function);
    }
    std::copy(values.begin(), values.end(), copy);
    *out = copy;
    *count = values.size();
}

}  // namespace

extern "C" {

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
    void* handle = nullptr;
    Guard("aclCreateTensor", [&] {
        auto tensor = std::make_shared<MetaTensor>();
        Fill("aclCreateTensor", tensor.get(), viewDims, viewDimsNum, dataType, stride, offset,
             format, storageDims, storageDimsNum, tensorData);
        handle = MetaTables::Instance().tensors.Add(std::move(tensor));
    });
    return static_cast<aclTensor*>(handle);
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t* stride, int64_t offset,
                          aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                          void* tensorDataAddr) {
    return With("aclInitTensor", tensor, true, [&](MetaTensor& found) {
        Fill("aclInitTensor", &found, viewDims, viewDimsNum, dataType, stride, offset, format,
             storageDims, storageDimsNum, tensorDataAddr);
    });
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
    MetaTables::Instance().tensors.Take(tensor);
    return OK;
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
    return With("aclGetViewShape", tensor, viewDims && viewDimsNum, [&](const MetaTensor& found) {
        CopyOut("aclGetViewShape", found.viewDims, viewDims, viewDimsNum);
    });
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                               uint64_t* storageDimsNum) {
    return With("aclGetStorageShape", tensor, storageDims && storageDimsNum,
                [&](const MetaTensor& found) {
                    CopyOut("aclGetStorageShape", found.storageDims, storageDims, storageDimsNum);
                });
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                              uint64_t* stridesNum) {
    return With("aclGetViewStrides", tensor, stridesValue && stridesNum,
                [&](const MetaTensor& found) {
                    CopyOut("aclGetViewStrides", found.strides, stridesValue, stridesNum);
                });
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
    return With("aclGetViewOffset", tensor, offset != nullptr,
                [&](MetaTensor& found) { *offset = found.offset; });
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
    return With("aclGetFormat", tensor, format != nullptr,
                [&](MetaTensor& found) { *format = found.format; });
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
    return With("aclGetDataType", tensor, dataType != nullptr,
                [&](MetaTensor& found) { *dataType = found.dataType; });
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
    return With("aclSetRawTensorAddr", tensor, true, [&](MetaTensor& found) { found.data = addr; });
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
    return With("aclGetRawTensorAddr", tensor, addr != nullptr,
                [&](MetaTensor& found) { *addr = found.data; });
}

}  // extern "C"
