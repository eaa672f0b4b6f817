// SPDX-License-Identifier: Apache-2.0
#include "common/tensor_view.h"

#include <memory>

namespace ops {
namespace aclnn {
namespace {

using Getter = aclnnStatus (*)(const aclTensor*, int64_t**, uint64_t*);

aclnnStatus ReadList(Getter getter, const aclTensor* tensor, std::vector<int64_t>* list) {
    int64_t* values = nullptr;
    uint64_t count = 0;
    const aclnnStatus status = getter(tensor, &values, &count);
    // The getter allocates the array with new[]. The caller must delete it, even if it is empty.
    const std::unique_ptr<int64_t[]> owner(values);
    if (status == OK && count > 0) {
        list->assign(values, values + count);
    }
    return status;
}

}  // namespace

aclnnStatus ReadView(const aclTensor* tensor, TensorView* view) {
    const aclnnStatus status = ReadList(aclGetViewShape, tensor, &view->shape);
    return status != OK ? status : ReadList(aclGetViewStrides, tensor, &view->strides);
}

std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& shape) {
    std::vector<int64_t> strides(shape.size());
    int64_t elements = 1;
    for (size_t i = shape.size(); i-- > 0;) {
        strides[i] = elements;
        elements *= shape[i];
    }
    return strides;
}

bool TensorView::IsEmpty() const {
    for (const int64_t length : shape) {
        if (length <= 0) {
            return true;
        }
    }
    return false;
}

bool TensorView::IsContiguous() const {
    if (IsEmpty()) {
        return true;
    }
    const std::vector<int64_t> expected = ContiguousStrides(shape);
    for (size_t i = 0; i < shape.size() && i < strides.size(); ++i) {
        if (shape[i] != 1 && strides[i] != expected[i]) {
            return false;
        }
    }
    return true;
}

}  // namespace aclnn
}  // namespace ops
