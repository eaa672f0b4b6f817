// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include "kernel_operator.h"

// The C library declares clock, too, so the definition below replaces it in the kernel's file. The
// host's code in the same file still gets the processor time of the process.

/// Returns what GetSystemCycle returns on a core, and processor time on the host.
extern "C" __attribute__((visibility("hidden"))) inline clock_t clock() noexcept {
    return twin::SelfOrNull() == nullptr ? twin::HostClock()
                                         : static_cast<clock_t>(AscendC::GetSystemCycle());
}
