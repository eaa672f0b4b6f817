// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "exe_graph/runtime/shape.h"
#include "graph/types.h"

namespace gert {

/// Dimensions that a storage format adds. The twin stores this value but does not use it.
class ExpandDimsType {
public:
    ExpandDimsType() = default;
    explicit ExpandDimsType(const int64_t reshapeType) : type_(reshapeType) {}
    explicit ExpandDimsType(const char*) {}

    bool operator==(const ExpandDimsType& other) const { return type_ == other.type_; }

private:
    int64_t type_ = 0;
};

struct StorageFormat {
public:
    StorageFormat() = default;
    StorageFormat(const ge::Format origin, const ge::Format storage)
        : origin_(origin), storage_(storage) {}

    StorageFormat(const ge::Format origin, const ge::Format storage, const ExpandDimsType& expand)
        : origin_(origin), storage_(storage), expand_(expand) {}

    ExpandDimsType GetExpandDimsType() const { return expand_; }
    void SetExpandDimsType(const ExpandDimsType expand) { expand_ = expand; }
    ge::Format GetOriginFormat() const { return origin_; }
    void SetOriginFormat(const ge::Format format) { origin_ = format; }
    ge::Format GetStorageFormat() const { return storage_; }
    void SetStorageFormat(const ge::Format format) { storage_ = format; }

    bool operator==(const StorageFormat& other) const {
        return origin_ == other.origin_ && storage_ == other.storage_;
    }
    bool operator!=(const StorageFormat& other) const { return !(*this == other); }

private:
    ge::Format origin_ = ge::FORMAT_ND;
    ge::Format storage_ = ge::FORMAT_ND;
    ExpandDimsType expand_;
};
static_assert(std::is_standard_layout<StorageFormat>::value,
              "StorageFormat must stay standard layout");

enum TensorPlacement : int32_t {
    kOnDeviceHbm,
    kOnHost,
    kFollowing,
    kOnDeviceP2p,
    kTensorPlacementEnd
};

enum TensorOperateType : int32_t {
    kGetTensorAddress,
    kFreeTensor,
    kPlusShareCount,
    kTensorOperateType
};

using TensorAddress = void*;
using ConstTensorAddressPtr = const void*;
using TensorAddrManager = ge::graphStatus (*)(TensorAddress address, TensorOperateType operation,
                                              void** out);

/// Address of elements that another object owns; the twin never calls a TensorAddrManager.
class TensorData {
public:
    explicit TensorData(TensorAddress address = nullptr, TensorAddrManager = nullptr)
        : address_(address) {}
    TensorData(TensorAddress address, TensorAddrManager, size_t bytes, TensorPlacement placement)
        : address_(address), bytes_(bytes), placement_(placement) {}
    TensorData(const TensorData&) = delete;
    TensorData& operator=(const TensorData&) = delete;
    TensorData(TensorData&&) = default;
    TensorData& operator=(TensorData&&) = default;

    TensorAddress GetAddr() const { return address_; }
    ge::graphStatus SetAddr(ConstTensorAddressPtr address, TensorAddrManager) {
        address_ = const_cast<TensorAddress>(address);
        return ge::GRAPH_SUCCESS;
    }
    size_t GetSize() const { return bytes_; }
    void SetSize(const size_t bytes) { bytes_ = bytes; }
    TensorPlacement GetPlacement() const { return placement_; }
    void SetPlacement(const TensorPlacement placement) { placement_ = placement; }

private:
    TensorAddress address_ = nullptr;
    size_t bytes_ = 0;
    TensorPlacement placement_ = kTensorPlacementEnd;
};

/// A tensor for tiling and shape inference. Only value-depend inputs have data (placement kOnHost).
class Tensor {
public:
    Tensor() = default;
    Tensor(const StorageShape& shape, const StorageFormat& format, const TensorPlacement placement,
           const ge::DataType dataType, void* address)
        : shape_(shape),
          format_(format),
          dataType_(dataType),
          data_(address, nullptr, 0, placement) {
        const int64_t bytes = ge::GetSizeInBytes(GetShapeSize(), dataType);
        data_.SetSize(bytes < 0 ? 0 : static_cast<size_t>(bytes));
    }
    Tensor(const StorageShape& shape, const StorageFormat& format, const ge::DataType dataType)
        : shape_(shape), format_(format), dataType_(dataType) {}

    /// Allocates a tensor and memory for its elements directly after it, `bytes` bytes in all.
    static std::unique_ptr<uint8_t[]> CreateFollowing(const StorageShape& shape,
                                                      const StorageFormat& format,
                                                      const ge::DataType dataType, size_t& bytes) {
        return CreateFollowing(Tensor(shape, format, dataType), bytes);
    }
    static std::unique_ptr<uint8_t[]> CreateFollowing(const int64_t elements,
                                                      const ge::DataType dataType, size_t& bytes) {
        return CreateFollowing(
            Tensor(StorageShape({elements}, {elements}), StorageFormat(), dataType), bytes);
    }

    int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
    template <typename T>
    const T* GetData() const {
        return static_cast<const T*>(data_.GetAddr());
    }
    template <typename T>
    T* GetData() {
        return static_cast<T*>(data_.GetAddr());
    }
    const void* GetAddr() const { return data_.GetAddr(); }
    void* GetAddr() { return data_.GetAddr(); }
    size_t GetSize() const { return data_.GetSize(); }
    void SetSize(const size_t bytes) { data_.SetSize(bytes); }
    ge::DataType GetDataType() const { return dataType_; }
    void SetDataType(const ge::DataType dataType) { dataType_ = dataType; }
    TensorPlacement GetPlacement() const { return data_.GetPlacement(); }
    void SetPlacement(const TensorPlacement placement) { data_.SetPlacement(placement); }
    const TensorData& GetTensorData() const { return data_; }
    TensorData& MutableTensorData() { return data_; }
    void SetData(TensorData&& data) { data_ = static_cast<TensorData&&>(data); }

    const StorageShape& GetShape() const { return shape_; }
    StorageShape& GetShape() { return shape_; }
    const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }
    Shape& MutableStorageShape() { return shape_.MutableStorageShape(); }
    const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }
    Shape& MutableOriginShape() { return shape_.MutableOriginShape(); }

    const StorageFormat& GetFormat() const { return format_; }
    StorageFormat& MutableFormat() { return format_; }
    void SetStorageFormat(const ge::Format format) { format_.SetStorageFormat(format); }
    void SetOriginFormat(const ge::Format format) { format_.SetOriginFormat(format); }
    ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
    ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }

private:
    StorageShape shape_;
    StorageFormat format_;
    static std::unique_ptr<uint8_t[]> CreateFollowing(Tensor tensor, size_t& bytes) {
        const int64_t data = ge::GetSizeInBytes(tensor.GetShapeSize(), tensor.GetDataType());
        if (data < 0) {
            return nullptr;
        }
        bytes = sizeof(Tensor) + static_cast<size_t>(data);
        std::unique_ptr<uint8_t[]> memory(new (std::nothrow) uint8_t[bytes]());
        if (memory != nullptr) {
            tensor.SetData(TensorData(memory.get() + sizeof(Tensor), nullptr,
                                      static_cast<size_t>(data), kFollowing));
            new (memory.get()) Tensor(static_cast<Tensor&&>(tensor));
        }
        return memory;
    }

    ge::DataType dataType_ = ge::DT_UNDEFINED;
    TensorData data_;
};
static_assert(std::is_standard_layout<Tensor>::value, "Tensor must stay standard layout");

/// Newer toolkits' tensor class; the twin does not store its strides and offset.
class TensorV2 : public Tensor {
public:
    using Tensor::Tensor;
};

}  // namespace gert
