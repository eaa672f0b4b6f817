// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TYPES_NARROW_H
#define TWIN_DEVICE_TYPES_NARROW_H

#include <cstdint>
#include <type_traits>

#include "core/location.h"
#include "core/types.h"

namespace twin {

/// Cuts `value` to an 8-bit field: an error in strict mode if bits are lost.
TWIN_API uint8_t WrapTo8(int64_t value, Location where);

/// A parameter that the API declares as uint8_t. A kernel that passes 256 repeats means 256, but
/// the chip's compiler silently makes them 0; this type sees the value before it is cut.
class Narrow8 {
public:
    Narrow8(uint8_t value) : value_(value) {}
    template <typename T,
              typename = std::enable_if_t<std::is_arithmetic<T>::value || std::is_enum<T>::value>>
    Narrow8(T value, TWIN_HERE)
        : value_(static_cast<int64_t>(value) >= 0 && static_cast<int64_t>(value) <= UINT8_MAX
                     ? static_cast<uint8_t>(value)
                     : WrapTo8(static_cast<int64_t>(value), here)) {}

    operator uint8_t() const { return value_; }

private:
    uint8_t value_;
};

}  // namespace twin

#endif  // TWIN_DEVICE_TYPES_NARROW_H
