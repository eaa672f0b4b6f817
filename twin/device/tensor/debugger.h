// SPDX-License-Identifier: Apache-2.0
#pragma once

// For kernels that are compiled with compile_kernel(debug=True): adds a variable to the stack frame
// that calls the kernel. The debugger (cannery/debugger/printers.py) reads this variable. All data
// must be in the variable, because the debugger only reads memory and calls no function.
#include "core/launch_state.h"
#include "core/watched_core.h"
#include "device/issue/operand.h"

namespace twin {

constexpr uint32_t kPositions = static_cast<uint32_t>(AscendC::TPosition::MAX) + 1;

struct TwinDebuggerView {
    Core* core = SelfOrNull();
    const LaunchState* launch = core == nullptr ? nullptr : core->launch;
    WatchedCore watched;
    Memory memoryOf[kPositions];  ///< memory of each position, indexed by TPosition

    TwinDebuggerView() {
        if (core != nullptr) {
            watched = WatchCore(core);
        }
        for (uint32_t position = 0; position < kPositions; ++position) {
            memoryOf[position] = MemoryOf(static_cast<uint8_t>(position));
        }
    }
};

}  // namespace twin

#define TWIN_FOR_DEBUGGER const ::twin::TwinDebuggerView twinDebugger;
