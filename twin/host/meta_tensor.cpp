// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <memory>
#include <new>
#include <utility>

#include "acl/acl_base.h"
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

constexpr uint64_t kMaxRank = 1024;  // far more than any operator's rank

std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& dims) {
    std::vector<int64_t> strides(dims.size());
    // Unsigned, because the product of an absurd shape may overflow. Operators refuse such shapes.
    uint64_t product = 1;
    for (size_t i = dims.size(); i-- > 0;) {
        strides[i] = static_cast<int64_t>(product);
        product *= static_cast<uint64_t>(dims[i]);
    }
    return strides;
}

/// Reads the arguments of a tensor and moves them to `tensor` if all of them are valid.
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

/// Calls use(tensor) for a valid handle. `outsGiven` is false if a result pointer is null.
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

/// Copies values to a new array, which the caller deletes with delete[].
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

template <typename Stored, typename Source>
void* Create(const char* function, HandleTable<MetaArray<Stored>>* table, const Source* value,
             uint64_t size) {
    void* handle = nullptr;
    Guard(function, [&] {
        auto array = std::make_shared<MetaArray<Stored>>();
        ReadFromCaller(function, "value", value, size, &array->values);
        handle = table->Add(std::move(array));
    });
    return handle;
}

/// Gets the number of elements of an array or a list; errors call the object `noun`.
template <typename T>
int SizeOf(const char* function, const char* noun, const HandleTable<MetaArray<T>>& table,
           const void* array, uint64_t* size) {
    return Guard(function, [&] {
        if (array == nullptr) {
            Refuse(kAclnnNullptr, "%s: the %s is null", function, noun);
        }
        TWIN_REFUSE_NULL(kAclnnNullptr, function, size);
        const auto found = table.Find(array);
        if (found == nullptr) {
            Refuse(kAclnnInvalid, "%s: the %s is none of this process, or destroyed already",
                   function, noun);
        }
        *size = found->values.size();
    });
}

/// Destroys a list and its elements; `elements` is the handle table that contains the elements.
template <typename Elements>
int DestroyList(HandleTable<MetaList>* table, const void* handle, Elements* elements) {
    const auto list = table->Take(handle);
    for (size_t i = 0; list != nullptr && i < list->values.size(); ++i) {
        elements->Take(list->values[i]);
    }
    return OK;
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

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
    void* handle = nullptr;
    Guard("aclCreateScalar", [&] {
        const size_t bytes = aclDataTypeSize(dataType);
        TWIN_REFUSE_NULL(kAclnnNullptr, "aclCreateScalar", value);
        if (bytes == 0) {
            Refuse(kAclnnInvalid,
                   "aclCreateScalar: dataType is %d, which has no whole bytes per value",
                   static_cast<int>(dataType));
        }
        auto scalar = std::make_shared<MetaScalar>();
        ReadFromCaller("aclCreateScalar", "value", static_cast<const uint8_t*>(value), bytes,
                       &scalar->value);
        scalar->dataType = dataType;
        handle = MetaTables::Instance().scalars.Add(std::move(scalar));
    });
    return static_cast<aclScalar*>(handle);
}

// Defines the functions that arrays and lists have in common.
#define TWIN_ARRAY_FUNCTIONS(NAME, TABLE, NOUN, VALUE)                                         \
    acl##NAME* aclCreate##NAME(VALUE value, uint64_t size) {                                   \
        return static_cast<acl##NAME*>(                                                        \
            Create("aclCreate" #NAME, &MetaTables::Instance().TABLE, value, size));            \
    }                                                                                          \
    aclnnStatus aclGet##NAME##Size(const acl##NAME* array, uint64_t* size) {                   \
        return SizeOf("aclGet" #NAME "Size", NOUN, MetaTables::Instance().TABLE, array, size); \
    }
TWIN_ARRAY_FUNCTIONS(IntArray, intArrays, "array", const int64_t*)
TWIN_ARRAY_FUNCTIONS(FloatArray, floatArrays, "array", const float*)
TWIN_ARRAY_FUNCTIONS(BoolArray, boolArrays, "array", const bool*)
TWIN_ARRAY_FUNCTIONS(TensorList, tensorLists, "list", const aclTensor* const*)
TWIN_ARRAY_FUNCTIONS(ScalarList, scalarLists, "list", const aclScalar* const*)

#define TWIN_DESTROY(NAME, TABLE)                           \
    aclnnStatus aclDestroy##NAME(const acl##NAME* object) { \
        MetaTables::Instance().TABLE.Take(object);          \
        return OK;                                          \
    }
TWIN_DESTROY(Scalar, scalars)
TWIN_DESTROY(IntArray, intArrays)
TWIN_DESTROY(FloatArray, floatArrays)
TWIN_DESTROY(BoolArray, boolArrays)

aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
    MetaTables& tables = MetaTables::Instance();
    return DestroyList(&tables.tensorLists, array, &tables.tensors);
}

aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
    MetaTables& tables = MetaTables::Instance();
    return DestroyList(&tables.scalarLists, array, &tables.scalars);
}

}  // extern "C"
