// SPDX-License-Identifier: Apache-2.0
#include "device/sys/tiling.h"

#include <cstring>

namespace twin {

void ReadTiling(void* destination, const void* source, uint64_t bytes, Location where) {
    Core& core = Self();
    core.Begin(where);
    const auto address = reinterpret_cast<uintptr_t>(source);
    core.CheckGm(address, address, bytes, 0, false, "GET_TILING_DATA");
    std::memcpy(destination, source, bytes);
}

void CheckTiling(const void* source, uint64_t bytes, Location where) {
    Core& core = Self();
    core.Begin(where);
    const auto address = reinterpret_cast<uintptr_t>(source);
    core.CheckGm(address, address, bytes, 0, false, "GET_TILING_DATA_PTR_WITH_STRUCT");
}

}  // namespace twin
