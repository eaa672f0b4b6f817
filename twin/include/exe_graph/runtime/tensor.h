// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_TENSOR_H
#define EXE_GRAPH_RUNTIME_TENSOR_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"
#include "graph/types.h"

namespace gert {

enum TensorPlacement : int32_t {
    kOnDeviceHbm,
    kOnHost,
    kFollowing,
    kOnDeviceP2p,
    kTensorPlacementEnd
};

/// A tensor as tiling and shape inference see it. Data is there for value-depend inputs only
/// (placement kOnHost).
class Tensor {
public:
    Tensor() = default;
    Tensor(const StorageShape& shape, const StorageFormat& format, const TensorPlacement placement,
           const ge::DataType dataType, void* address)
        : shape_(shape),
          format_(format),
          dataType_(dataType),
          placement_(placement),
          address_(address) {
        const int64_t bytes = ge::GetSizeInBytes(GetShapeSize(), dataType);
        bytes_ = bytes < 0 ? 0 : static_cast<size_t>(bytes);
    }

    /// Elements of the storage shape.
    int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
    template <typename T>
    const T* GetData() const {
        return static_cast<const T*>(address_);
    }
    template <typename T>
    T* GetData() {
        return static_cast<T*>(address_);
    }
    const void* GetAddr() const { return address_; }
    void* GetAddr() { return address_; }
    /// Bytes of the data.
    size_t GetSize() const { return bytes_; }
    ge::DataType GetDataType() const { return dataType_; }
    TensorPlacement GetPlacement() const { return placement_; }

    const StorageShape& GetShape() const { return shape_; }
    StorageShape& GetShape() { return shape_; }
    const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }
    Shape& MutableStorageShape() { return shape_.MutableStorageShape(); }
    const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }
    Shape& MutableOriginShape() { return shape_.MutableOriginShape(); }

    const StorageFormat& GetFormat() const { return format_; }
    ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
    ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }

private:
    StorageShape shape_;
    StorageFormat format_;
    ge::DataType dataType_ = ge::DT_UNDEFINED;
    TensorPlacement placement_ = kTensorPlacementEnd;
    void* address_ = nullptr;
    size_t bytes_ = 0;
};
static_assert(std::is_standard_layout<Tensor>::value, "Tensor must stay standard layout");

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_TENSOR_H
