// SPDX-License-Identifier: Apache-2.0
#include "device/sys/system.h"

#include <chrono>

#include "core/launch_state.h"

namespace twin {

int64_t SystemCycle(Location where) {
    static const auto start = std::chrono::steady_clock::now();
    Self().Begin(where);
    constexpr int64_t kNanosecondsPerTick = 20;
    const auto passed = std::chrono::steady_clock::now() - start;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count() /
           kNanosecondsPerTick;
}

void RaiseTrap(Location where) {
    Self().Begin(where);
    Fail("T441", "trap: the kernel called Trap(), which ends it with an exception");
}

uint8_t* SystemWorkspacePointer() {
    return reinterpret_cast<uint8_t*>(SystemWorkspace(Self().soc->systemWorkspaceBytes));
}

}  // namespace twin
