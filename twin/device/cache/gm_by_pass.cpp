// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "device/cache/data_cache_clean.h"
#include "device/issue/issue.h"

namespace twin {

// These functions bypass the data cache. They refuse bytes that the cache must still write back.

uint64_t ReadGmDirectly(const void* place, uint32_t bytes, Location where) {
    const auto address = reinterpret_cast<uintptr_t>(place);
    Issue issue(Opcode::ReadGmByPassDCache, where);
    issue.Work(0, 1);
    issue.ReadGm(Arg::Addr, {address, address}, Runs{bytes}, bytes);
    uint64_t value = 0;
    issue.Ready();
    std::memcpy(&value, place, bytes);
    issue.Is(record::GmScalar{value, true});
    issue.Done();
    return value;
}

void WriteGmDirectly(void* place, const void* value, uint32_t bytes, Location where) {
    const auto address = reinterpret_cast<uintptr_t>(place);
    Issue issue(Opcode::WriteGmByPassDCache, where);
    issue.Work(0, 1);
    issue.NoteGm(Arg::Addr, {address, address}, Runs{bytes}, true, bytes);
    issue.core().OrderGm(address, bytes, true, issue.api());
    issue.Ready();
    std::memcpy(place, value, bytes);
    record::GmScalar scalar{0, true};
    std::memcpy(&scalar.value, value, bytes);
    issue.Is(scalar);
    issue.Done();
}

}  // namespace twin
