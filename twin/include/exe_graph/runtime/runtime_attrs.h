// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "exe_graph/runtime/tensor.h"
#include "graph/types.h"

namespace twin {

namespace host {
class AttrValues;
}

}  // namespace twin

namespace gert {

/// A vector of fixed capacity whose elements are in other memory. A default vector has its own 8
/// bytes, as in the toolkit, because helpers of unit tests write a workspace's size to its data.
class ContinuousVector {
public:
    ContinuousVector() = default;
    ContinuousVector(void* elements, size_t size, size_t capacity)
        : elements_(elements), size_(size), capacity_(capacity) {}

    /// Allocates an empty vector and memory for `capacity` elements directly after it.
    template <typename T>
    static std::unique_ptr<uint8_t[]> Create(const size_t capacity) {
        std::unique_ptr<uint8_t[]> memory(
            new (std::nothrow) uint8_t[sizeof(ContinuousVector) + capacity * sizeof(T)]());
        if (memory != nullptr) {
            new (memory.get())
                ContinuousVector(memory.get() + sizeof(ContinuousVector), 0, capacity);
        }
        return memory;
    }

    size_t GetSize() const { return size_; }
    size_t GetCapacity() const { return capacity_; }
    /// Sets the size; returns GRAPH_PARAM_OUT_OF_RANGE if `size` exceeds the capacity.
    ge::graphStatus SetSize(const size_t size) {
        if (size > capacity_) {
            return ge::GRAPH_PARAM_OUT_OF_RANGE;
        }
        size_ = size;
        return ge::GRAPH_SUCCESS;
    }
    const void* GetData() const { return elements_ != nullptr ? elements_ : &own_; }
    void* MutableData() { return elements_ != nullptr ? elements_ : &own_; }

private:
    void* elements_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 1;
    uint64_t own_ = 0;
};
static_assert(std::is_standard_layout<ContinuousVector>::value,
              "ContinuousVector must stay standard layout");

template <typename T>
class TypedContinuousVector : private ContinuousVector {
public:
    TypedContinuousVector() = default;
    TypedContinuousVector(T* elements, size_t size, size_t capacity)
        : ContinuousVector(elements, size, capacity) {}

    using ContinuousVector::GetCapacity;
    using ContinuousVector::GetSize;
    using ContinuousVector::SetSize;
    T* MutableData() { return static_cast<T*>(ContinuousVector::MutableData()); }
    const T* GetData() const { return static_cast<const T*>(ContinuousVector::GetData()); }
};

/// A list of lists; each inner list is a ContinuousVector.
class ContinuousVectorVector {
public:
    ContinuousVectorVector() = default;
    ContinuousVectorVector(const ContinuousVector* inner, size_t size)
        : inner_(inner), size_(size) {}

    size_t GetSize() const { return size_; }
    const ContinuousVector* Get(const size_t index) const {
        return index < size_ ? inner_ + index : nullptr;
    }

private:
    const ContinuousVector* inner_ = nullptr;
    size_t size_ = 0;
};

/// Attributes of one call. Indices follow the order of the Attr() calls in the OpDef; getters
/// return nullptr for an index beyond the last attribute.
class RuntimeAttrs {
public:
    RuntimeAttrs(const RuntimeAttrs&) = delete;
    RuntimeAttrs& operator=(const RuntimeAttrs&) = delete;

    template <typename T>
    const T* GetAttrPointer(const size_t index) const {
        return static_cast<const T*>(Pointer(index));
    }
    const int64_t* GetInt(const size_t index) const { return GetAttrPointer<int64_t>(index); }
    const float* GetFloat(const size_t index) const { return GetAttrPointer<float>(index); }
    const bool* GetBool(const size_t index) const { return GetAttrPointer<bool>(index); }
    const char* GetStr(const size_t index) const { return GetAttrPointer<char>(index); }
    const TypedContinuousVector<int64_t>* GetListInt(const size_t index) const {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
    }
    const TypedContinuousVector<float>* GetListFloat(const size_t index) const {
        return GetAttrPointer<TypedContinuousVector<float>>(index);
    }
    const ContinuousVectorVector* GetListListInt(const size_t index) const {
        return GetAttrPointer<ContinuousVectorVector>(index);
    }
    size_t GetAttrNum() const;

private:
    friend class twin::host::AttrValues;
    RuntimeAttrs() = default;
    const void* Pointer(size_t index) const;

    const twin::host::AttrValues* values_ = nullptr;
};

}  // namespace gert
