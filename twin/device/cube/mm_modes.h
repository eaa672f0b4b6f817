// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_MM_MODES_H
#define TWIN_DEVICE_CUBE_MM_MODES_H

#include "device/vec/ctrl.h"

namespace AscendC {

/// Rounds float operands of Mmad to 11 mantissa bits.
inline void SetHF32Mode(bool hf32Mode, TWIN_HERE) {
    twin::vec::SetCtrlBit(twin::kCtrlHf32, hf32Mode, here);
}
/// true: ties of that rounding go toward zero; false: to even.
inline void SetHF32TransMode(bool hf32TransMode, TWIN_HERE) {
    twin::vec::SetCtrlBit(twin::kCtrlHf32ToZero, hf32TransMode, here);
}
/// true: Mmad computes its fractals along n first. The order never changes results.
inline void SetMMLayoutTransform(bool mmLayoutMode, TWIN_HERE) {
    twin::vec::SetCtrlBit(twin::kCtrlAlongN, mmLayoutMode, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_CUBE_MM_MODES_H
