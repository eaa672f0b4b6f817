// SPDX-License-Identifier: Apache-2.0
#include "core/contain.h"

#include <setjmp.h>
#include <signal.h>

#include <cstdio>

#include "core/worker.h"

namespace twin {
namespace {

struct Containment {
    sigjmp_buf exit;
    MemoryFault fault;
    Containment* outer = nullptr;
};

thread_local Containment* tContainment = nullptr;

}  // namespace

bool RunContained(void (*work)(void*), void* argument, MemoryFault* fault) noexcept {
    // Every launch checks that the handlers are still installed; the C API reads its callers'
    // memory far more often.
    static const bool installed = (InstallFaultHandlers(), true);
    static_cast<void>(installed);
    Containment here;
    here.outer = tContainment;
    // The handlers block no signals, so there is no mask to restore.
    if (sigsetjmp(here.exit, 0) != 0) {
        tContainment = here.outer;
        *fault = here.fault;
        return false;
    }
    tContainment = &here;
    work(argument);
    tContainment = here.outer;
    return true;
}

void LeaveContained(int signal, const void* address) {
    if (Containment* const innermost = tContainment) {
        innermost->fault = {address, signal};
        siglongjmp(innermost->exit, 1);
    }
}

void WatchFaults() { InstallFaultHandlers(); }

std::string DescribeSignal(const MemoryFault& fault) {
    char text[96];
    switch (fault.signal) {
        case SIGFPE:
            return "a division by zero or the like (SIGFPE)";
        case SIGABRT:
            return "abort(), as a failed assertion calls it (SIGABRT)";
        case SIGSEGV:
        case SIGBUS:
            std::snprintf(text, sizeof(text), "an access to address %p, which is not there (%s)",
                          fault.address, fault.signal == SIGBUS ? "SIGBUS" : "SIGSEGV");
            return text;
        default:
            return "signal " + std::to_string(fault.signal);
    }
}

std::string Describe(const MemoryFault& fault, const std::string& what) {
    char address[32];
    std::snprintf(address, sizeof(address), "%p", fault.address);
    return "T501 segmentation fault: " + what + " met host address " + address +
           ", which is not there or must not be written\n  try: keep the memory mapped, and its "
           "file as long as it was, until the stream is synchronised";
}

}  // namespace twin
