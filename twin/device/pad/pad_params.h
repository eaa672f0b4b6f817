// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_PAD_PAD_ENGINE_H
#define TWIN_DEVICE_PAD_PAD_ENGINE_H

#include "device/library/tmp.h"

namespace AscendC {

/// Number of columns to add on either side, and their value.
struct PadParams {
    PadParams() = default;
    PadParams(const uint16_t left, const uint16_t right, const int32_t value)
        : leftPad(left), rightPad(right), padValue(value) {}

    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
    int32_t padValue = 0;
};

/// Number of columns to remove; the library reads only rightPad.
struct UnPadParams {
    UnPadParams() = default;
    UnPadParams(const uint16_t left, const uint16_t right) : leftPad(left), rightPad(right) {}

    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
};

}  // namespace AscendC

namespace twin::advanced {

/// The fields of the host's tiling that the calls use.
struct PadRows {
    uint32_t srcHeight;
    uint32_t srcWidth;
    uint32_t srcOriWidth;  ///< columns that hold data
};

/// `value` points to one element of the type.
TWIN_API void RunPad(Dtype dtype, const Operand& dst, const Operand& src,
                     const AscendC::PadParams& params, const void* value, const PadRows& tiling,
                     const Tmp& tmp, Location where);
TWIN_API void RunUnPad(Dtype dtype, const Operand& dst, const Operand& src,
                       const AscendC::UnPadParams& params, const PadRows& tiling, Location where);

}  // namespace twin::advanced

#endif  // TWIN_DEVICE_PAD_PAD_ENGINE_H
