// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "acl/acl_base.h"
#include "host/caller_memory.h"
#include "host/error.h"
#include "host/meta_objects.h"

using twin::host::Fail;
using twin::host::Guard;
using twin::host::HandleTable;
using twin::host::kAclnnInvalid;
using twin::host::kAclnnNullptr;
using twin::host::MetaArray;
using twin::host::MetaList;
using twin::host::MetaScalar;
using twin::host::MetaTables;
using twin::host::ReadFromCaller;

namespace {

template <typename Stored, typename Given>
void* CreateArray(const char* function, HandleTable<MetaArray<Stored>>* table, const Given* value,
                  uint64_t size) {
    void* handle = nullptr;
    Guard(function, [&]() -> int {
        auto array = std::make_shared<MetaArray<Stored>>();
        if (int status = ReadFromCaller(function, "value", value, size, &array->values)) {
            return status;
        }
        handle = table->Add(std::move(array));
        return OK;
    });
    return handle;
}

template <typename Element>
void* CreateList(const char* function, HandleTable<MetaList>* table, const Element* const* value,
                 uint64_t size) {
    void* handle = nullptr;
    Guard(function, [&]() -> int {
        auto list = std::make_shared<MetaList>();
        if (int status = ReadFromCaller(function, "value", value, size, &list->elements)) {
            return status;
        }
        handle = table->Add(std::move(list));
        return OK;
    });
    return handle;
}

template <typename T>
int SizeOf(const char* function, const HandleTable<MetaArray<T>>& table, const void* array,
           uint64_t* size) {
    if (array == nullptr || size == nullptr) {
        return Fail(kAclnnNullptr, "%s: %s is null", function,
                    array == nullptr ? "the array" : "size");
    }
    const auto found = table.Find(array);
    if (found == nullptr) {
        return Fail(kAclnnInvalid, "%s: the array is none of this process, or destroyed already",
                    function);
    }
    *size = found->values.size();
    return OK;
}

int ListSize(const char* function, const HandleTable<MetaList>& table, const void* list,
             uint64_t* size) {
    if (list == nullptr || size == nullptr) {
        return Fail(kAclnnNullptr, "%s: %s is null", function,
                    list == nullptr ? "the list" : "size");
    }
    const auto found = table.Find(list);
    if (found == nullptr) {
        return Fail(kAclnnInvalid, "%s: the list is none of this process, or destroyed already",
                    function);
    }
    *size = found->elements.size();
    return OK;
}

}  // namespace

extern "C" {

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
    void* handle = nullptr;
    Guard("aclCreateScalar", [&]() -> int {
        const size_t bytes = aclDataTypeSize(dataType);
        if (value == nullptr) {
            return Fail(kAclnnNullptr, "aclCreateScalar: value is null");
        }
        if (bytes == 0) {
            return Fail(kAclnnInvalid,
                        "aclCreateScalar: dataType is %d, which has no whole bytes per value",
                        static_cast<int>(dataType));
        }
        auto scalar = std::make_shared<MetaScalar>();
        if (int status =
                ReadFromCaller("aclCreateScalar", "value", static_cast<const uint8_t*>(value),
                               bytes, &scalar->value)) {
            return status;
        }
        scalar->dataType = dataType;
        handle = MetaTables::Instance().scalars.Add(std::move(scalar));
        return OK;
    });
    return static_cast<aclScalar*>(handle);
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
    return static_cast<aclIntArray*>(
        CreateArray("aclCreateIntArray", &MetaTables::Instance().intArrays, value, size));
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
    return static_cast<aclFloatArray*>(
        CreateArray("aclCreateFloatArray", &MetaTables::Instance().floatArrays, value, size));
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
    return static_cast<aclBoolArray*>(
        CreateArray("aclCreateBoolArray", &MetaTables::Instance().boolArrays, value, size));
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
    return static_cast<aclTensorList*>(
        CreateList("aclCreateTensorList", &MetaTables::Instance().tensorLists, value, size));
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
    return static_cast<aclScalarList*>(
        CreateList("aclCreateScalarList", &MetaTables::Instance().scalarLists, value, size));
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
    MetaTables::Instance().scalars.Take(scalar);
    return OK;
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
    MetaTables::Instance().intArrays.Take(array);
    return OK;
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
    MetaTables::Instance().floatArrays.Take(array);
    return OK;
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
    MetaTables::Instance().boolArrays.Take(array);
    return OK;
}

aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
    const auto list = MetaTables::Instance().tensorLists.Take(array);
    if (list == nullptr) {
        return OK;
    }
    for (void* element : list->elements) {
        MetaTables::Instance().tensors.Take(element);
    }
    return OK;
}

aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
    const auto list = MetaTables::Instance().scalarLists.Take(array);
    if (list == nullptr) {
        return OK;
    }
    for (void* element : list->elements) {
        MetaTables::Instance().scalars.Take(element);
    }
    return OK;
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
    return SizeOf("aclGetIntArraySize", MetaTables::Instance().intArrays, array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
    return SizeOf("aclGetFloatArraySize", MetaTables::Instance().floatArrays, array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
    return SizeOf("aclGetBoolArraySize", MetaTables::Instance().boolArrays, array, size);
}

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
    return ListSize("aclGetTensorListSize", MetaTables::Instance().tensorLists, tensorList, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
    return ListSize("aclGetScalarListSize", MetaTables::Instance().scalarLists, scalarList, size);
}

}  // extern "C"
