// SPDX-License-Identifier: Apache-2.0
#include "device/tensor/raw_pointer.h"

namespace twin {

Operand LocalAt(const void* pointer, const char* api, Location where) {
    return LocalAt(pointer, AscendC::TPosition::VECCALC, api, where);
}

Operand LocalAt(const void* pointer, AscendC::TPosition position, const char* api, Location where) {
    Core& core = Self();
    core.Begin(where);
    Operand place = UbPlace(0, 0);
    place.position = static_cast<uint8_t>(position);
    const Memory memory = MemoryOf(place.position);
    const uint64_t size =
        memory == Memory::Ub ? core.UbBytes() : core.memoryBytes[static_cast<size_t>(memory)];
    const uint64_t offset = reinterpret_cast<uintptr_t>(pointer) -
                            reinterpret_cast<uintptr_t>(core.memory[static_cast<size_t>(memory)]);
    if (offset >= size) {
        Fail("T103",
             "address outside %s: %s is given a pointer that is not into the %llu B of it that "
             "this core has\n  try: GetPhyAddr() of a local tensor",
             memory == Memory::Ub ? "the unified buffer" : Name(memory), api,
             static_cast<unsigned long long>(size));
    }
    place.address = static_cast<uint32_t>(offset);
    place.bytes = static_cast<uint32_t>(size - offset);
    return place;
}

}  // namespace twin
