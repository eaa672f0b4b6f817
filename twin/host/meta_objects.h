// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aclnn/acl_meta.h"
#include "core/core_output.h"
#include "graph/types.h"
#include "host/stream.h"

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
using MetaList = MetaArray<void*>;

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

/// A view of memory. Strides count elements and may be 0 or negative.
struct StridedView {
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
};

/// First and last element that a view touches, relative to its element [0, ..., 0]; `elements` is 0
/// for an empty view.
struct ViewExtent {
    int64_t first = 0;
    int64_t last = 0;
    int64_t elements = 0;
};

/// Returns false if a dimension is negative or a number does not fit int64.
bool ExtentOf(const StridedView& view, ViewExtent* extent);

/// Decides as the toolkit does: dimensions of length 1 do not matter, and views without elements or
/// with one element are contiguous.
bool IsContiguous(const StridedView& view);

/// Returns the same elements in the same order with as few dimensions as possible.
StridedView Simplify(const StridedView& view);

/// Copies the view to row-major memory. `source` is element [0, ..., 0]; `elementBytes` is 1, 2, 4,
/// 8 or 16; up to `threads` threads share the work. Returns false if some of the memory does not
/// exist.
bool CopyStrided(const void* source, const StridedView& view, uint32_t elementBytes, void* target,
                 uint32_t threads, MemoryFault* fault);

}  // namespace twin::host
