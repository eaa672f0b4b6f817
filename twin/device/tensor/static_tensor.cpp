// SPDX-License-Identifier: Apache-2.0
#include "core/core.h"
#include "device/tensor/operand.h"

namespace twin {

void CheckStaticTensor(const Operand& operand, Location where) {
    Core& core = Self();
    core.Begin(where);
    RequireUb(operand, "LocalTensor", "tensor");
    if (operand.bytes == 0) {
        Fail("T108", "empty buffer: LocalTensor of 0 elements at UB+0x%x, expected at least one",
             operand.address);
    }
    core.CheckUb(operand.address, operand.bytes, kBlockBytes, "LocalTensor", "tensor");
}

void RegisterStaticTensor(const Operand& operand) {
    Core& core = Self();
    core.buffers.push_back(BufferRecord{Memory::Ub, operand.address, operand.bytes,
                                        core.nextQueue++, 0, "LocalTensor"});
}

}  // namespace twin
