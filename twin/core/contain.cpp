// SPDX-License-Identifier: Apache-2.0
#include "core/contain.h"

#include <setjmp.h>

#include <cstdio>

#include "core/worker.h"

namespace twin {
namespace {

struct Containment {
    sigjmp_buf exit;
    const void* address = nullptr;
    Containment* outer = nullptr;
};

thread_local Containment* tContainment = nullptr;

}  // namespace

bool RunContained(void (*work)(void*), void* argument, MemoryFault* fault) noexcept {
    // Every launch looks whether they are still there; the C API reads its callers' memory far more
    // often.
    static const bool installed = (InstallFaultHandlers(), true);
    static_cast<void>(installed);
    Containment here;
    here.outer = tContainment;
    // The handlers block no signals, so there is no mask to restore.
    if (sigsetjmp(here.exit, 0) != 0) {
        tContainment = here.outer;
        fault->address = here.address;
        return false;
    }
    tContainment = &here;
    work(argument);
    tContainment = here.outer;
    return true;
}

void LeaveContained(const void* address) {
    if (Containment* const innermost = tContainment) {
        innermost->address = address;
        siglongjmp(innermost->exit, 1);
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
