// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_ACLNN_COMMON_TEXT_H
#define OP_HOST_ACLNN_COMMON_TEXT_H

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"

namespace ops {
namespace aclnn {

/// Returns a shape or strides as text, such as "[4, 22]"; "[]" for a scalar.
std::string ListText(const std::vector<int64_t>& values);
/// Returns a name such as "float16", or "number 35" for a dtype without a name here.
std::string DtypeText(aclDataType dtype);
/// Returns a name such as "FRACTAL_NZ", or "number 99" for a format without a name here.
std::string FormatText(aclFormat format);

}  // namespace aclnn
}  // namespace ops

#endif  // OP_HOST_ACLNN_COMMON_TEXT_H
