// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_QUANT_H
#define TWIN_DEVICE_LANES_QUANT_H

#include <cstddef>
#include <cstdint>

namespace twin::lanes {

/// For each element, the factor and the offset that Fixpipe applies on the way out of L0C.
struct QuantColumns {
    const float* scale;     ///< factor for numbers from zero
    const float* negative;  ///< factor for numbers below zero: the same, or 0 for relu
    const float* offset;    ///< integers from -256 to 255
    const float* low;       ///< bounds of the result
    const float* high;
    const int32_t* shift;  ///< bits to shift right before an int32_t is cut to 16 bits; 0: no cut
};

using QuantFn = void (*)(void* dst, const void* src, const QuantColumns& columns, size_t count);

/// Conversions of the fixed-function pipe. Results of 8 bits: nearest even to 9 bits, plus offset,
/// saturated; NaN becomes 0 before the offset.
struct QuantTable {
    QuantFn int32ToByte;
    QuantFn floatToByte;
    QuantFn int32ToHalf;  ///< to nearest even; infinity beyond the range
};

/// The best version for this machine.
const QuantTable& BestQuant();

}  // namespace twin::lanes

#endif  // TWIN_DEVICE_LANES_QUANT_H
