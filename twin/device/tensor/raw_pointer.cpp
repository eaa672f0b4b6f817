// SPDX-License-Identifier: Apache-2.0
#include "device/tensor/raw_pointer.h"

namespace twin {

Operand LocalAt(const void* pointer, const char* api, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint64_t size = core.UbBytes();
    const uint64_t offset =
        reinterpret_cast<uintptr_t>(pointer) -
        reinterpret_cast<uintptr_t>(core.memory[static_cast<size_t>(Memory::Ub)]);
    if (offset >= size) {
        Fail("T103",
             "address outside the unified buffer: %s is given a pointer that is not into this "
             "core's UB of %llu B\n  try: GetPhyAddr() of a local tensor",
             api, static_cast<unsigned long long>(size));
    }
    return UbPlace(offset, size - offset);
}

}  // namespace twin
