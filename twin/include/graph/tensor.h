// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {

class Shape {
public:
    Shape() {}
    explicit Shape(const std::vector<int64_t>& dims) : dims_(dims) {}

    /// Returns the number of dimensions; returns 0 for {-2}, a shape of unknown rank.
    size_t GetDimNum() const {
        return dims_.size() == 1 && dims_[0] == UNKNOWN_DIM_NUM ? 0 : dims_.size();
    }
    /// Returns a dimension's size, or 0 for an index beyond the last dimension.
    int64_t GetDim(size_t idx) const { return idx < dims_.size() ? dims_[idx] : 0; }
    graphStatus SetDim(size_t idx, int64_t value) {
        if (idx >= dims_.size()) {
            return GRAPH_FAILED;
        }
        dims_[idx] = value;
        return GRAPH_SUCCESS;
    }
    std::vector<int64_t> GetDims() const { return dims_; }
    /// Returns the product of the dimensions; returns 0 for no dimensions or an overflow of
    /// int64_t, and -1 if a dimension is unknown.
    int64_t GetShapeSize() const {
        int64_t size = dims_.empty() ? 0 : 1;
        for (size_t i = 0; i < dims_.size(); ++i) {
            if (dims_[i] < 0) {
                return UNKNOWN_DIM;
            }
            if (__builtin_mul_overflow(size, dims_[i], &size)) {
                return 0;
            }
        }
        return size;
    }

private:
    std::vector<int64_t> dims_;
};

class TensorDesc {
public:
    TensorDesc() = default;
    explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType dataType = DT_FLOAT)
        : shape_(shape),
          originShape_(shape),
          format_(format),
          originFormat_(format),
          dataType_(dataType) {}

    Shape GetShape() const { return shape_; }
    void SetShape(const Shape& shape) { shape_ = shape; }
    Shape GetOriginShape() const { return originShape_; }
    void SetOriginShape(const Shape& shape) { originShape_ = shape; }
    Format GetFormat() const { return format_; }
    void SetFormat(Format format) { format_ = format; }
    Format GetOriginFormat() const { return originFormat_; }
    void SetOriginFormat(Format format) { originFormat_ = format; }
    DataType GetDataType() const { return dataType_; }
    void SetDataType(DataType dataType) { dataType_ = dataType; }
    void SetName(const std::string& name) { name_ = name; }
    std::string GetName() const { return name_; }
    int64_t GetSize() const { return size_; }
    void SetSize(int64_t size) { size_ = size; }
    void SetPlacement(int32_t placement) { placement_ = placement; }
    void SetRealDimCnt(int64_t count) { realDims_ = count; }
    int64_t GetRealDimCnt() const { return realDims_; }
    graphStatus SetShapeRange(const std::vector<std::pair<int64_t, int64_t>>& range) {
        range_ = range;
        return GRAPH_SUCCESS;
    }
    graphStatus GetShapeRange(std::vector<std::pair<int64_t, int64_t>>& range) const {
        range = range_;
        return GRAPH_SUCCESS;
    }
    graphStatus SetOriginShapeRange(const std::vector<std::pair<int64_t, int64_t>>&) {
        return GRAPH_SUCCESS;
    }

private:
    Shape shape_;
    Shape originShape_;
    Format format_ = FORMAT_ND;
    Format originFormat_ = FORMAT_ND;
    DataType dataType_ = DT_FLOAT;
    std::string name_;
    int64_t size_ = 0;
    int64_t realDims_ = 0;
    int32_t placement_ = 0;
    std::vector<std::pair<int64_t, int64_t>> range_;
};

/// A tensor: its description and a copy of its elements.
class Tensor {
public:
    Tensor() = default;
    explicit Tensor(const TensorDesc& desc) : desc_(desc) {}
    Tensor(const TensorDesc& desc, const uint8_t* data, size_t bytes)
        : desc_(desc), data_(data, data + bytes) {}
    Tensor(const TensorDesc& desc, const std::vector<uint8_t>& data) : desc_(desc), data_(data) {}

    TensorDesc GetTensorDesc() const { return desc_; }
    graphStatus SetTensorDesc(const TensorDesc& desc) {
        desc_ = desc;
        return GRAPH_SUCCESS;
    }
    const uint8_t* GetData() const { return data_.data(); }
    uint8_t* GetData() { return data_.data(); }
    size_t GetSize() const { return data_.size(); }
    graphStatus SetData(const uint8_t* data, size_t bytes) {
        data_.assign(data, data + bytes);
        return GRAPH_SUCCESS;
    }
    graphStatus SetData(const std::vector<uint8_t>& data) {
        data_ = data;
        return GRAPH_SUCCESS;
    }
    DataType GetDataType() const { return desc_.GetDataType(); }
    Format GetFormat() const { return desc_.GetFormat(); }
    Format GetOriginFormat() const { return desc_.GetOriginFormat(); }
    size_t GetShapeDimNum() const { return desc_.GetShape().GetDimNum(); }
    int64_t GetShapeDim(size_t index) const { return desc_.GetShape().GetDim(index); }
    size_t GetOriginShapeDimNum() const { return desc_.GetOriginShape().GetDimNum(); }
    int64_t GetOriginShapeDim(size_t index) const { return desc_.GetOriginShape().GetDim(index); }

private:
    TensorDesc desc_;
    std::vector<uint8_t> data_;
};

}  // namespace ge
