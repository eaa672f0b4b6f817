// SPDX-License-Identifier: Apache-2.0
#pragma once

// For a kernel compiled with compile_kernel(debug=True), between its source and its export: the
// variables that a debugger finds in the frame below the kernel's (cannery/debugger/printers.py).
// The debugger only reads memory, so it does not call functions of the process.
#include "core/launch_state.h"
#include "device/issue/operand.h"

namespace twin {

constexpr uint32_t kPositions = static_cast<uint32_t>(AscendC::TPosition::MAX) + 1;

struct DebuggerView {
    const Core* core = SelfOrNull();
    const LaunchState* launch = core == nullptr ? nullptr : core->launch;
    Memory memoryOf[kPositions];  ///< indexed by TPosition

    DebuggerView() {
        for (uint32_t position = 0; position < kPositions; ++position) {
            memoryOf[position] = MemoryOf(static_cast<uint8_t>(position));
        }
    }
};

}  // namespace twin

#define TWIN_FOR_DEBUGGER const ::twin::DebuggerView debugger;
