// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/types.h"

namespace AscendC {

constexpr uint32_t INT4_TWO = 2;
constexpr uint32_t INT4_BIT_NUM = 4;

/// A signed 4-bit integer. In memory two of them share a byte, the even element in the low half; a
/// single object, as here, has a byte of its own.
class int4b_t {
public:
    int4b_t() = default;
    int4b_t(int32_t value)
        : bits_(static_cast<uint8_t>(value) & 0xFU) {}  // implicit, as on the device
    int4b_t(uint32_t value) : bits_(static_cast<uint8_t>(value) & 0xFU) {}

    operator int8_t() const { return static_cast<int8_t>((bits_ ^ 8U) - 8U); }
    uint8_t Bits() const { return bits_; }

private:
    uint8_t bits_;
};

static_assert(sizeof(int4b_t) == 1, "tensors of int4b_t are viewed as bytes");

}  // namespace AscendC

namespace twin {

template <typename T>
constexpr uint32_t kElementBits =
    std::is_same<T, AscendC::int4b_t>::value ? 4 : static_cast<uint32_t>(sizeof(T) * 8);

/// Bytes of `count` elements in a tensor.
template <typename T>
constexpr uint64_t BytesOf(uint64_t count) {
    return count * kElementBits<T> / 8;
}

/// Number of elements in `bytes` bytes of a tensor.
template <typename T>
constexpr uint32_t ElementsIn(uint32_t bytes) {
    return static_cast<uint32_t>(static_cast<uint64_t>(bytes) * 8 / kElementBits<T>);
}

/// Element `index` of a tensor; `place` is the byte that contains it.
inline AscendC::int4b_t Nibble(const void* place, uint32_t index) {
    return AscendC::int4b_t(
        static_cast<uint32_t>(*static_cast<const uint8_t*>(place) >> (index % 2 * 4)));
}

inline void SetNibble(void* place, uint32_t index, AscendC::int4b_t value) {
    auto* byte = static_cast<uint8_t*>(place);
    const uint32_t shift = index % 2 * 4;
    *byte = static_cast<uint8_t>((*byte & ~(0xFU << shift)) | (value.Bits() << shift));
}

}  // namespace twin
