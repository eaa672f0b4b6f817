// SPDX-License-Identifier: Apache-2.0
#include "device/pipe/init_soc_state.h"

namespace twin {

void RestRegisters(Core& core) {
    core.atomicOp = AtomicOp::None;
    core.mask = MaskState();
    core.cube.padValue = 0;
    core.cube.padValueKnown = true;
    core.cube.boundary = 0;
}

void InitSocState(Location where) {
    Core& core = Self();
    core.Begin(where);
    RestRegisters(core);
}

}  // namespace twin
