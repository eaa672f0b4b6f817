// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_ACLNN_COMMON_TENSOR_VIEW_H
#define OP_HOST_ACLNN_COMMON_TENSOR_VIEW_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aclnn/acl_meta.h"

namespace ops {
namespace aclnn {

/// Shape and strides of a tensor's view, in elements.
struct TensorView {
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;

    size_t Rank() const { return shape.size(); }
    /// Returns true if a dimension is 0. A scalar is not empty: it has one element.
    bool IsEmpty() const;
    /// Returns true if the tensor is row-major without gaps. The stride of a dimension of length 1
    /// is ignored, and so are all strides of an empty tensor.
    bool IsContiguous() const;
};

/// Reads the shape and the strides of `tensor`, which is not null. Returns the status of the getter
/// that fails, or OK.
aclnnStatus ReadView(const aclTensor* tensor, TensorView* view);

/// Returns the strides of a row-major tensor without gaps.
std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& shape);

/// Converts `dim` in [-rank, rank - 1] to an index in [0, rank - 1].
inline size_t FromFront(int64_t dim, size_t rank) {
    return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
}

}  // namespace aclnn
}  // namespace ops

#endif  // OP_HOST_ACLNN_COMMON_TENSOR_VIEW_H
