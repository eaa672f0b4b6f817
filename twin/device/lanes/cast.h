// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_CAST_H
#define TWIN_DEVICE_LANES_CAST_H

#include "device/lanes/arithmetic.h"

namespace twin::lanes {

/// The numbers are those of AscendC::RoundMode.
enum class Round : uint8_t { None, Rint, Floor, Ceil, Nearest, Trunc, Odd };

using CastFn = void (*)(void* dst, const void* src, size_t count, Round round);
using ClampFn = void (*)(void* values, size_t count);
using DequantFn = void (*)(void* dst, const void* src, float scale, size_t count);

/// Conversions on contiguous elements. The caller checks which rounding modes a pair accepts;
/// int4b_t counts are even. A null entry means that the vector unit has no such instruction.
struct CastTable {
    CastFn cast[kDtypeCount][kDtypeCount];  ///< [to][from]; integers saturate
    /// [to][from]: integers keep their low bits instead; null if that makes no difference.
    CastFn truncating[kDtypeCount][kDtypeCount];
    /// By type of a vector result: infinities become the largest number, NaN becomes zero.
    ClampFn clamp[kDtypeCount];
    /// The same for float, which the cube unit saturates and the vector unit does not.
    ClampFn clampFloat;
    DequantFn int32ToHalf;
};

/// The best version for this machine.
const CastTable& BestCasts();

}  // namespace twin::lanes

#endif  // TWIN_DEVICE_LANES_CAST_H
