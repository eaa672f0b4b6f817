// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_CTRL_H
#define TWIN_DEVICE_VEC_CTRL_H

#include "core/core.h"
#include "device/types/enums.h"

namespace twin::vec {

/// Writes one bit of the core's control register.
inline void SetCtrlBit(uint32_t bit, bool value, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint64_t mask = uint64_t{1} << bit;
    core.ctrl = value ? core.ctrl | mask : core.ctrl & ~mask;
    core.modesSetAt.ctrl = where;
}

template <int8_t startBit, int8_t endBit>
constexpr void OnlyModelledBits() {
    static_assert(startBit == endBit && (startBit == static_cast<int8_t>(kCtrlInfNan) ||
                                         startBit == static_cast<int8_t>(kCtrlTruncate)),
                  "SetCtrlSpr and GetCtrlSpr: only CTRL[48] and CTRL[59] are modelled");
}

}  // namespace twin::vec

namespace AscendC {

enum class SaturationMode : uint8_t { FLOAT = 0, CAST };

/// FLOAT: infinities and NaN of half and bfloat16 results become the largest number and zero. CAST:
/// conversions to integers saturate; if off, they keep the low bits.
template <SaturationMode mode>
inline void SetSaturationFlag(bool enableSat, TWIN_HERE) {
    twin::vec::SetCtrlBit(mode == SaturationMode::FLOAT ? twin::kCtrlInfNan : twin::kCtrlTruncate,
                          !enableSat, here);
}

template <SaturationMode mode>
inline bool GetSaturationFlag() {
    return !twin::Self().CtrlBit(mode == SaturationMode::FLOAT ? twin::kCtrlInfNan
                                                               : twin::kCtrlTruncate);
}

/// Bits [startBit, endBit] of the control register.
template <int8_t startBit, int8_t endBit>
inline void SetCtrlSpr(int64_t value, TWIN_HERE) {
    twin::vec::OnlyModelledBits<startBit, endBit>();
    twin::vec::SetCtrlBit(startBit, (value & 1) != 0, here);
}

template <int8_t startBit, int8_t endBit>
inline int64_t GetCtrlSpr() {
    twin::vec::OnlyModelledBits<startBit, endBit>();
    return twin::Self().CtrlBit(startBit) ? 1 : 0;
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_CTRL_H
