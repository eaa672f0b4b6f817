// SPDX-License-Identifier: Apache-2.0
#include "device/tensor/raw_pointer.h"

namespace twin {

Operand LocalAt(const void* pointer, const char* api, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uintptr_t offset =
        reinterpret_cast<uintptr_t>(pointer) - reinterpret_cast<uintptr_t>(core.ub);
    if (offset >= core.ubBytes) {
        Fail("T103",
             "address outside the unified buffer: %s is given a pointer that is not into this "
             "core's UB of %llu B\n  try: GetPhyAddr() of a local tensor",
             api, static_cast<unsigned long long>(core.ubBytes));
    }
    return Operand{static_cast<uint32_t>(offset), static_cast<uint32_t>(core.ubBytes - offset),
                   static_cast<uint8_t>(AscendC::TPosition::VECCALC)};
}

}  // namespace twin
