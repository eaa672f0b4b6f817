// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_STORAGE_SHAPE_H
#define EXE_GRAPH_RUNTIME_STORAGE_SHAPE_H

#include "exe_graph/runtime/shape.h"

namespace gert {

/// The shape that the user sees (origin) and the shape in memory (storage); they are equal for base
/// formats.
struct StorageShape {
public:
    StorageShape() = default;
    StorageShape(const std::initializer_list<int64_t>& origin,
                 const std::initializer_list<int64_t>& storage)
        : origin_(origin), storage_(storage) {}

    const Shape& GetOriginShape() const { return origin_; }
    const Shape& GetShape() const { return origin_; }
    const Shape& GetStorageShape() const { return storage_; }
    Shape& MutableOriginShape() { return origin_; }
    Shape& MutableStorageShape() { return storage_; }

    bool operator==(const StorageShape& other) const {
        return origin_ == other.origin_ && storage_ == other.storage_;
    }
    bool operator!=(const StorageShape& other) const { return !(*this == other); }

private:
    Shape origin_;
    Shape storage_;
};
static_assert(std::is_standard_layout<StorageShape>::value,
              "StorageShape must stay standard layout");

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_STORAGE_SHAPE_H
