// SPDX-License-Identifier: Apache-2.0
#ifndef GRAPH_TENSOR_H
#define GRAPH_TENSOR_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/ge_error_codes.h"
#include "graph/types.h"

namespace ge {

/// A list of dimensions.
class Shape {
public:
    Shape() {}
    explicit Shape(const std::vector<int64_t>& dims) : dims_(dims) {}

    /// 0 for the shape {-2}, whose number of dimensions is unknown.
    size_t GetDimNum() const {
        return dims_.size() == 1 && dims_[0] == UNKNOWN_DIM_NUM ? 0 : dims_.size();
    }
    /// 0 behind the last dimension.
    int64_t GetDim(size_t idx) const { return idx < dims_.size() ? dims_[idx] : 0; }
    graphStatus SetDim(size_t idx, int64_t value) {
        if (idx >= dims_.size()) {
            return GRAPH_FAILED;
        }
        dims_[idx] = value;
        return GRAPH_SUCCESS;
    }
    std::vector<int64_t> GetDims() const { return dims_; }
    /// Product of the dimensions; 0 without any or beyond int64_t, -1 where one is unknown.
    int64_t GetShapeSize() const {
        int64_t size = dims_.empty() ? 0 : 1;
        for (size_t i = 0; i < dims_.size(); ++i) {
            if (dims_[i] < 0) {
                return UNKNOWN_DIM;
            }
            if (__builtin_mul_overflow(size, dims_[i], &size)) {
                return 0;
            }
        }
        return size;
    }

private:
    std::vector<int64_t> dims_;
};

}  // namespace ge

#endif  // GRAPH_TENSOR_H
