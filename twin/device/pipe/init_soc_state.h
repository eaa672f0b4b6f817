// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_PIPE_INIT_SOC_STATE_H
#define TWIN_DEVICE_PIPE_INIT_SOC_STATE_H

#include "core/core.h"

namespace twin {

/// The default state of a vector core: copies to GM overwrite, and the mask is full and in normal
/// mode.
void RestRegisters(Core& core);
TWIN_API void InitSocState(Location where);

}  // namespace twin

namespace AscendC {

/// Newer than 8.1: does what a new TPipe does to the registers, for kernels without one. The
/// control register keeps its value.
inline void InitSocState(TWIN_HERE) { twin::InitSocState(here); }

}  // namespace AscendC

#endif  // TWIN_DEVICE_PIPE_INIT_SOC_STATE_H
