// SPDX-License-Identifier: Apache-2.0
#include "device/cache/gm_by_pass.h"

#include <cstring>

#include "device/issue/issue.h"

namespace twin {

// Accesses that bypass the data cache must be in order with it and with pending atomic copies.

uint64_t ReadGmDirectly(const void* place, uint32_t bytes, Location where) {
    const auto address = reinterpret_cast<uintptr_t>(place);
    Issue issue("ReadGmByPassDCache", Pipe::S, where);
    issue.Work(0, 1);
    issue.ReadGm("addr", {address, address}, Runs{bytes}, bytes);
    uint64_t value = 0;
    if (issue.Ready()) {
        std::memcpy(&value, place, bytes);
        issue.core().record.scalar = value;
        issue.Done();
    }
    return value;
}

void WriteGmDirectly(void* place, const void* value, uint32_t bytes, Location where) {
    const auto address = reinterpret_cast<uintptr_t>(place);
    Issue issue("WriteGmByPassDCache", Pipe::S, where);
    issue.Work(0, 1);
    issue.NoteGm("addr", {address, address}, Runs{bytes}, true, bytes);
    issue.core().OrderGm(address, bytes, true, issue.api());
    if (issue.Ready()) {
        std::memcpy(place, value, bytes);
        std::memcpy(&issue.core().record.scalar, value, bytes);
        issue.Done();
    }
}

}  // namespace twin
