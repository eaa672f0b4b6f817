// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_COMMON_DIMS_H
#define OP_HOST_COMMON_DIMS_H

#include <cstdint>

#include "register/op_def_registry.h"

namespace ge {

/// Numbers in a graph's shape for an unknown dimension, and for an unknown number of dimensions.
constexpr int64_t kUnknownDim = -1;
constexpr int64_t kUnknownRank = -2;

inline bool HasUnknownRank(const gert::Shape& shape) {
    return shape.GetDimNum() == 1 && shape.GetDim(0) == kUnknownRank;
}

}  // namespace ge

#endif  // OP_HOST_COMMON_DIMS_H
