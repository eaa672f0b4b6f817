// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "acl/acl_base.h"
#include "host/error.h"
#include "host/executor.h"

using namespace twin::host;

namespace {

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

/// `noun`: "array" or "list".
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
