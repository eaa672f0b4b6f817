// SPDX-License-Identifier: Apache-2.0
#include "device/cache/gm_by_pass.h"

#include <cstring>

#include "device/issue/issue.h"

namespace twin {

// Accesses past the data cache have to leave it and pending atomic copies in order.

const void* ReadGmDirectly(const void* place, uint32_t bytes, Location where) {
    const auto address = reinterpret_cast<uintptr_t>(place);
    Issue issue("ReadGmByPassDCache", Pipe::S, where);
    issue.Work(0, 1);
    issue.ReadGm("addr", {address, address}, Runs{bytes}, bytes);
    if (issue.Ready()) {
        issue.Done();
    }
    return place;
}

void WriteGmDirectly(void* place, const void* value, uint32_t bytes, Location where) {
    const auto address = reinterpret_cast<uintptr_t>(place);
    Issue issue("WriteGmByPassDCache", Pipe::S, where);
    issue.Work(0, 1);
    issue.NoteGm("addr", {address, address}, Runs{bytes}, true, bytes);
    issue.core().OrderGm(address, bytes, true, issue.api());
    if (issue.Ready()) {
        std::memcpy(place, value, bytes);
        issue.Done();
    }
}

}  // namespace twin
