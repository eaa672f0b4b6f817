// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_ACLNN_COMMON_TEXT_H
#define OP_HOST_ACLNN_COMMON_TEXT_H

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"

namespace ops {
namespace aclnn {

/// "[4, 22]"; "[]" for a scalar. Also used for strides.
std::string ListText(const std::vector<int64_t>& values);
/// "float16", "bfloat16", ...; "number 35" for a dtype without a name here.
std::string DtypeText(aclDataType dtype);
/// "ND", "FRACTAL_NZ", ...; "number 99" for a format without a name here.
std::string FormatText(aclFormat format);

}  // namespace aclnn
}  // namespace ops

#endif  // OP_HOST_ACLNN_COMMON_TEXT_H
