// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/core.h"
#include "device/types/enums.h"

namespace AscendC {

/// Counter mode: the mask register contains an element count.
inline void SetMaskCount(TWIN_HERE) {
    twin::Self().Begin(here);
    twin::Self().SetCounterMode(true);
}

/// Normal mode: the mask register contains one bit per element of a repeat.
inline void SetMaskNorm(TWIN_HERE) {
    twin::Self().Begin(here);
    twin::Self().SetCounterMode(false);
}

/// Note the order: the high half (elements 64..127) comes first.
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow, TWIN_HERE) {
    twin::Self().Begin(here);
    twin::Self().SetMask(maskLow, maskHigh);
}

/// Selects the first `len` elements of a repeat (normal mode), or of the whole instruction (counter
/// mode).
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t len, TWIN_HERE) {
    const auto count = static_cast<uint64_t>(len < 0 ? 0 : len);
    if (mode == MaskMode::COUNTER) {
        SetVectorMask<T, mode>(0, count, here);
        return;
    }
    const uint64_t low = count >= 64 ? UINT64_MAX : (uint64_t{1} << count) - 1;
    const uint64_t high =
        count >= 128 ? UINT64_MAX : (count > 64 ? (uint64_t{1} << (count - 64)) - 1 : 0);
    SetVectorMask<T, mode>(high, low, here);
}

inline void ResetMask(TWIN_HERE) {
    twin::Self().Begin(here);
    twin::Self().SetMask(UINT64_MAX, UINT64_MAX);
}

}  // namespace AscendC

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
