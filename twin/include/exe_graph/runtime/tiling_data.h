// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "graph/types.h"
#include "securec.h"

namespace gert {

/// Bytes that tiling passes to the kernel; their number never exceeds the capacity.
class TilingData {
public:
    TilingData(void* data, const size_t capacity) : capacity_(capacity), data_(data) {}
    TilingData(const TilingData&) = delete;
    TilingData& operator=(const TilingData&) = delete;

    /// Allocates a TilingData object and `capacity` bytes directly after it.
    static std::unique_ptr<uint8_t[]> CreateCap(const size_t capacity) {
        std::unique_ptr<uint8_t[]> memory(new (std::nothrow)
                                              uint8_t[sizeof(TilingData) + capacity]());
        if (memory != nullptr) {
            new (memory.get()) TilingData(memory.get() + sizeof(TilingData), capacity);
        }
        return memory;
    }

    size_t GetCapacity() const { return capacity_; }
    size_t GetDataSize() const { return size_; }
    void SetDataSize(const size_t size) { size_ = size; }
    void* GetData() { return data_; }
    const void* GetData() const { return data_; }

    template <typename T, typename std::enable_if<std::is_standard_layout<T>::value, int>::type = 0>
    ge::graphStatus Append(const T& value) {
        return Append(&value, 1);
    }
    template <typename T, typename std::enable_if<std::is_standard_layout<T>::value, int>::type = 0>
    ge::graphStatus Append(const T* values, const size_t count) {
        if (count > capacity_ / sizeof(T)) {
            return ge::GRAPH_FAILED;
        }
        void* const place = Expand(count * sizeof(T));
        if (place == nullptr) {
            return ge::GRAPH_FAILED;
        }
        std::memcpy(place, values, count * sizeof(T));
        return ge::GRAPH_SUCCESS;
    }
    /// Adds `bytes` bytes and returns their address; returns nullptr if the capacity is too small.
    void* Expand(const size_t bytes) {
        if (size_ > capacity_ || bytes > capacity_ - size_) {
            return nullptr;
        }
        void* const place = static_cast<uint8_t*>(data_) + size_;
        size_ += bytes;
        return place;
    }

private:
    size_t capacity_;
    size_t size_ = 0;
    void* data_;
};
static_assert(std::is_standard_layout<TilingData>::value, "TilingData must stay standard layout");

template <typename T>
TilingData& operator<<(TilingData& out, const T& value) {
    out.Append(value);
    return out;
}

}  // namespace gert
