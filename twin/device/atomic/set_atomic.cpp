// SPDX-License-Identifier: Apache-2.0
#include "device/atomic/set_atomic.h"

namespace twin {
namespace {

void Record(Core& core, const char* opcode, const char* atomic) {
    if (core.Recording()) {
        Instruction instruction;
        instruction.pipe = Pipe::S;
        instruction.opcode = opcode;
        instruction.dtype = core.atomicDtype;
        instruction.atomic = atomic;
        core.Record(instruction);
    }
}

}  // namespace

void SetAtomicMode(AtomicOp op, Dtype dtype, Location where) {
    static const char* const kNames[] = {"none", "add", "max", "min"};
    Core& core = Self();
    core.Begin(where);
    core.atomicOp = op;
    core.atomicDtype = dtype;
    Record(core, "SetAtomic", kNames[static_cast<int>(op)]);
}

void SetAtomicDtype(Dtype dtype, Location where) {
    Core& core = Self();
    core.Begin(where);
    core.atomicDtype = dtype;
    Record(core, "SetAtomicType", "");
}

}  // namespace twin
