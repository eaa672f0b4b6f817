// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "acl/acl_base.h"
#include "host/error.h"
#include "host/executor.h"

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

template <typename Stored, typename Source>
void* Create(const char* function, HandleTable<MetaArray<Stored>>* table, const Source* value,
             uint64_t size) {
    void* handle = nullptr;
    Guard(function, [&]() -> int {
        auto array = std::make_shared<MetaArray<Stored>>();
        TWIN_RETURN_IF_ERROR(ReadFromCaller(function, "value", value, size, &array->values));
        handle = table->Add(std::move(array));
        return OK;
    });
    return handle;
}

/// `noun`: "array" or "list".
template <typename T>
int SizeOf(const char* function, const char* noun, const HandleTable<MetaArray<T>>& table,
           const void* array, uint64_t* size) {
    if (array == nullptr) {
        return Fail(kAclnnNullptr, "%s: the %s is null", function, noun);
    }
    TWIN_RETURN_IF_NULL(kAclnnNullptr, function, size);
    const auto found = table.Find(array);
    if (found == nullptr) {
        return Fail(kAclnnInvalid, "%s: the %s is none of this process, or destroyed already",
                    function, noun);
    }
    *size = found->values.size();
    return OK;
}

/// A list destroys its elements, which `elements` has.
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

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
    void* handle = nullptr;
    Guard("aclCreateScalar", [&]() -> int {
        const size_t bytes = aclDataTypeSize(dataType);
        TWIN_RETURN_IF_NULL(kAclnnNullptr, "aclCreateScalar", value);
        if (bytes == 0) {
            return Fail(kAclnnInvalid,
                        "aclCreateScalar: dataType is %d, which has no whole bytes per value",
                        static_cast<int>(dataType));
        }
        auto scalar = std::make_shared<MetaScalar>();
        TWIN_RETURN_IF_ERROR(ReadFromCaller(
            "aclCreateScalar", "value", static_cast<const uint8_t*>(value), bytes, &scalar->value));
        scalar->dataType = dataType;
        handle = MetaTables::Instance().scalars.Add(std::move(scalar));
        return OK;
    });
    return static_cast<aclScalar*>(handle);
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
    MetaTables::Instance().scalars.Take(scalar);
    return OK;
}

// The functions that arrays and lists have alike.
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
    MetaTables& tables = MetaTables::Instance();
    return DestroyList(&tables.tensorLists, array, &tables.tensors);
}

aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
    MetaTables& tables = MetaTables::Instance();
    return DestroyList(&tables.scalarLists, array, &tables.scalars);
}

}  // extern "C"
