// SPDX-License-Identifier: Apache-2.0
#include "core/core.h"
#include "device/tensor/operand.h"

namespace twin {

void CheckStaticTensor(const Operand& operand, Location where) {
    Core& core = Self();
    core.Begin(where);
    const Memory memory = MemoryOf(operand.position);
    if (memory == Memory::Gm) {
        RequireMemory(operand, Memory::Ub, "LocalTensor", "tensor");
    }
    if (operand.bytes == 0) {
        Fail("T108", "empty buffer: LocalTensor of 0 elements at %s+0x%x, expected at least one",
             Name(memory), operand.address);
    }
    // It is made on both kinds of cores and used on one, so only its size is checked here.
    core.CheckFit(memory, operand.address, operand.bytes, kBlockBytes, "LocalTensor", "tensor");
}

void RegisterStaticTensor(const Operand& operand) {
    Core& core = Self();
    core.AddBuffer(BufferRecord{MemoryOf(operand.position),
                                operand.address,
                                operand.bytes,
                                core.nextQueue++,
                                0,
                                "LocalTensor",
                                {}});
}

}  // namespace twin
