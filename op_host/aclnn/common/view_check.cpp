// SPDX-License-Identifier: Apache-2.0
#include "common/view_check.h"

#include <string>

#include "common/signature_check.h"
#include "common/text.h"

namespace ops {
namespace aclnn {

aclnnStatus CheckContiguous(const char* function, const char* name, const TensorView& view) {
    if (view.IsContiguous()) {
        return OK;
    }
    return Reject(kParamInvalid, function,
                  std::string(name) + " has strides " + ListText(view.strides) + "; expected " +
                      ListText(ContiguousStrides(view.shape)) + ", a contiguous tensor");
}

}  // namespace aclnn
}  // namespace ops
