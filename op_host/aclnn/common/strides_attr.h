// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_ACLNN_COMMON_STRIDES_ATTR_H
#define OP_HOST_ACLNN_COMMON_STRIDES_ATTR_H

#include "common/tensor_view.h"

namespace ops {
namespace aclnn {

/// The strides of an output, as an attribute for the aclnnInner function. The object must exist
/// until phase 1 of that function has returned.
class StridesAttr {
public:
    /// Converts the strides of `view`, which is default-constructed for an absent output.
    explicit StridesAttr(const TensorView& view)
        : array_(view.IsContiguous()
                     ? nullptr
                     : aclCreateIntArray(view.strides.data(), view.strides.size())) {}
    ~StridesAttr() {
        if (array_ != nullptr) {
            aclDestroyIntArray(array_);
        }
    }
    StridesAttr(const StridesAttr&) = delete;
    StridesAttr& operator=(const StridesAttr&) = delete;

    /// Returns the strides, or null (the attribute's default) for a contiguous or absent output.
    const aclIntArray* Get() const { return array_; }

private:
    aclIntArray* array_;
};

}  // namespace aclnn
}  // namespace ops

#endif  // OP_HOST_ACLNN_COMMON_STRIDES_ATTR_H
