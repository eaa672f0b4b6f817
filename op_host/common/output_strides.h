// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_COMMON_OUTPUT_STRIDES_H
#define OP_HOST_COMMON_OUTPUT_STRIDES_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "register/op_def_registry.h"

namespace optiling {

/// Reads the strides of an output from attribute `index` of the inner operator: one stride per
/// dimension of `shape`, in elements. The value [0] means a row-major tensor. Returns false if the
/// attribute does not exist or has another number of strides.
inline bool ReadOutputStrides(gert::TilingContext* context, size_t index, const gert::Shape& shape,
                              std::vector<int64_t>* strides) {
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    const gert::TypedContinuousVector<int64_t>* given =
        attrs == nullptr ? nullptr : attrs->GetListInt(index);
    if (given == nullptr) {
        return false;
    }
    const size_t rank = shape.GetDimNum();
    const int64_t* values = given->GetData();
    if (given->GetSize() != 1 || values[0] != 0) {
        strides->assign(values, values + given->GetSize());
        return strides->size() == rank;
    }
    strides->resize(rank);
    int64_t elements = 1;
    for (size_t i = rank; i-- > 0;) {
        (*strides)[i] = elements;
        elements *= shape.GetDim(i);
    }
    return true;
}

}  // namespace optiling

#endif  // OP_HOST_COMMON_OUTPUT_STRIDES_H
