// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_META_OBJECTS_H
#define TWIN_HOST_META_OBJECTS_H

#include <cstdint>
#include <memory>
#include <vector>

#include "aclnn/acl_meta.h"
#include "graph/types.h"
#include "host/handles.h"

namespace twin::host {

/// The object of an aclTensor*. Strides and offset count elements.
struct MetaTensor {
    std::vector<int64_t> viewDims;
    std::vector<int64_t> strides;
    std::vector<int64_t> storageDims;
    int64_t offset = 0;
    aclDataType dataType = ACL_DT_UNDEFINED;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    void* data = nullptr;
};

struct MetaScalar {
    std::vector<uint8_t> value;
    aclDataType dataType = ACL_DT_UNDEFINED;
};

template <typename T>
struct MetaArray {
    std::vector<T> values;
};

/// A list keeps the handles of its elements.
struct MetaList {
    std::vector<void*> elements;
};

/// The objects of the process. Never destroyed.
struct MetaTables {
    static MetaTables& Instance();

    HandleTable<MetaTensor> tensors{16};
    HandleTable<MetaScalar> scalars{17};
    HandleTable<MetaArray<int64_t>> intArrays{18};
    HandleTable<MetaArray<float>> floatArrays{19};
    HandleTable<MetaArray<uint8_t>> boolArrays{20};
    HandleTable<MetaList> tensorLists{21};
    HandleTable<MetaList> scalarLists{22};
};

/// Returns nullptr for a null, foreign or destroyed tensor.
std::shared_ptr<MetaTensor> FindTensor(const aclTensor* tensor);
std::shared_ptr<MetaArray<int64_t>> FindIntArray(const aclIntArray* array);

}  // namespace twin::host

#endif  // TWIN_HOST_META_OBJECTS_H
