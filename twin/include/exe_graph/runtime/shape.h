// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>  // sources expect this header and <iostream> here, as in the toolkit
#include <initializer_list>
#include <iostream>
#include <limits>
#include <type_traits>

namespace gert {

/// Dimensions of a tensor, at most kMaxDimNum.
struct Shape {
public:
    static constexpr size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

    Shape() : count_(0), dims_() {}
    /// Creates a shape; it is empty if there are more than kMaxDimNum dimensions.
    Shape(const std::initializer_list<int64_t>& dims) : Shape() {
        if (dims.size() <= kMaxDimNum) {
            for (int64_t dim : dims) {
                dims_[count_++] = dim;
            }
        }
    }

    bool operator==(const Shape& other) const {
        if (count_ != other.count_) {
            return false;
        }
        for (size_t i = 0; i < count_; ++i) {
            if (dims_[i] != other.dims_[i]) {
                return false;
            }
        }
        return true;
    }
    bool operator!=(const Shape& other) const { return !(*this == other); }

    /// Returns the product of the dimensions: 1 for rank 0, kInvalidDimValue after an overflow.
    int64_t GetShapeSize() const {
        int64_t product = 1;
        for (size_t i = 0; i < count_; ++i) {
            if (__builtin_mul_overflow(product, dims_[i], &product)) {
                return std::numeric_limits<int64_t>::min();
            }
        }
        return product;
    }

    bool IsScalar() const { return count_ == 0; }
    void SetScalar() { count_ = 0; }
    size_t GetDimNum() const { return count_; }
    void SetDimNum(const size_t count) { count_ = count; }

    /// Returns a dimension, or kInvalidDimValue if `index` is not below kMaxDimNum.
    int64_t GetDim(const size_t index) const {
        return index < kMaxDimNum ? dims_[index] : std::numeric_limits<int64_t>::min();
    }
    const int64_t& operator[](const size_t index) const { return dims_[index]; }
    int64_t& operator[](const size_t index) { return dims_[index]; }
    /// Sets a dimension but not the rank: call SetDimNum first, as with the toolkit.
    void SetDim(const size_t index, const int64_t value) {
        if (index >= kMaxDimNum) {
            return;
        }
        dims_[index] = value;
        if (count_ < index) {
            count_ = index;
        }
    }
    Shape& AppendDim(const int64_t value) {
        if (count_ < kMaxDimNum) {
            dims_[count_++] = value;
        }
        return *this;
    }

private:
    size_t count_;
    int64_t dims_[kMaxDimNum];
};
static_assert(std::is_standard_layout<Shape>::value, "Shape must stay standard layout");

/// Strides: the number of elements between neighbours in each dimension.
struct Stride {
public:
    Stride() = default;
    Stride(const std::initializer_list<int64_t>& strides) : strides_(strides) {}

    bool operator==(const Stride& other) const { return strides_ == other.strides_; }
    bool operator!=(const Stride& other) const { return !(*this == other); }
    size_t GetDimNum() const { return strides_.GetDimNum(); }
    void SetDimNum(const size_t count) { strides_.SetDimNum(count); }
    int64_t GetStride(const size_t index) const { return strides_.GetDim(index); }
    void SetStride(const size_t index, const int64_t value) { strides_.SetDim(index, value); }
    Stride& AppendStride(const int64_t value) {
        strides_.AppendDim(value);
        return *this;
    }
    const int64_t& operator[](const size_t index) const { return strides_[index]; }
    int64_t& operator[](const size_t index) { return strides_[index]; }

private:
    Shape strides_;
};

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

/// Pointers to a smallest and a largest value, which the range does not own.
template <typename T>
class Range {
public:
    Range() = default;
    Range(T* least, T* greatest) : least_(least), greatest_(greatest) {}
    explicit Range(T* both) : least_(both), greatest_(both) {}

    bool operator==(const Range& other) const {
        return least_ == other.least_ && greatest_ == other.greatest_;
    }
    bool operator!=(const Range& other) const { return !(*this == other); }

    const T* GetMin() const { return least_; }
    const T* GetMax() const { return greatest_; }
    T* GetMin() { return least_; }
    T* GetMax() { return greatest_; }
    void SetMin(T* least) { least_ = least; }
    void SetMax(T* greatest) { greatest_ = greatest; }

private:
    T* least_ = nullptr;
    T* greatest_ = nullptr;
};

}  // namespace gert
