// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_ACLNN_COMMON_STRIDES_ATTR_H
#define OP_HOST_ACLNN_COMMON_STRIDES_ATTR_H

#include "common/tensor_view.h"

namespace ops {
namespace aclnn {

/// The strides of an output in the form that the inner function takes; keep the object until phase
/// 1 has returned.
class StridesAttr {
public:
    /// The `view` of an absent output is a default-constructed one.
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

    /// Null, the attribute's default, if the output is contiguous or absent.
    const aclIntArray* Get() const { return array_; }

private:
    aclIntArray* array_;
};

}  // namespace aclnn
}  // namespace ops

#endif  // OP_HOST_ACLNN_COMMON_STRIDES_ATTR_H
