// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_ACLNN_COMMON_VIEW_CHECK_H
#define OP_HOST_ACLNN_COMMON_VIEW_CHECK_H

#include "common/tensor_view.h"

namespace ops {
namespace aclnn {

/// Returns kParamInvalid unless the output `name` is row-major without gaps.
aclnnStatus CheckContiguous(const char* function, const char* name, const TensorView& view);

}  // namespace aclnn
}  // namespace ops

#endif  // OP_HOST_ACLNN_COMMON_VIEW_CHECK_H
