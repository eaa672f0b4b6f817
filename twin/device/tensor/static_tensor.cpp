// SPDX-License-Identifier: Apache-2.0
#include "core/core.h"
#include "device/tensor/operand.h"

namespace twin {

void CheckStaticTensor(const Operand& operand, Location where) {
    Core& core = Self();
    core.Begin(where);
    const Memory memory = MemoryOf(operand.position);
    if (memory == Memory::Gm) {
        RequireUb(operand, "LocalTensor", "tensor");
    }
    if (operand.bytes == 0) {
        Fail("T108", "empty buffer: LocalTensor of 0 elements at %s+0x%x, expected at least one",
             Name(memory), operand.address);
    }
    // Made on both kinds of cores, used on one: what counts here is that it fits.
    const uint64_t size = core.memoryBytes[static_cast<size_t>(memory)];
    if (memory == Memory::Ub && core.ub != nullptr) {
        core.CheckUb(operand.address, operand.bytes, kBlockBytes, "LocalTensor", "tensor");
    } else if (uint64_t{operand.address} + operand.bytes > size ||
               operand.address % kBlockBytes != 0) {
        Fail("T103",
             "%s out of bounds: LocalTensor of %u B at %s+0x%x, expected a multiple of %u and an "
             "end within %llu B",
             Name(memory), operand.bytes, Name(memory), operand.address, kBlockBytes,
             static_cast<unsigned long long>(size));
    }
}

void RegisterStaticTensor(const Operand& operand) {
    Core& core = Self();
    core.buffers.push_back(BufferRecord{MemoryOf(operand.position), operand.address, operand.bytes,
                                        core.nextQueue++, 0, "LocalTensor"});
}

}  // namespace twin
