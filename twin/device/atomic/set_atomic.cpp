// SPDX-License-Identifier: Apache-2.0
#include "device/atomic/set_atomic.h"

#include <iterator>

namespace twin {
namespace {

void Record(Core& core, const char* opcode, const char* atomic) {
    if (core.Recording()) {
        LegacyInstruction instruction;
        instruction.pipe = Pipe::S;
        instruction.opcode = opcode;
        instruction.dtype = core.atomicDtype;
        instruction.atomic = atomic;
        core.Record(instruction);
    }
}

/// In the order of AscendC::AtomicDtype; the first is no type.
constexpr Dtype kConfigTypes[] = {Dtype::F32, Dtype::F32, Dtype::F16, Dtype::I16,
                                  Dtype::I32, Dtype::I8,  Dtype::Bf16};

}  // namespace

void SetAtomicConfig(uint16_t type, Location where) {
    SetAtomicMode(type == 0 ? AtomicOp::None : AtomicOp::Add, kConfigTypes[type], where);
}

void GetAtomicConfig(uint16_t* type, uint16_t* op, Location where) {
    Core& core = Self();
    core.Begin(where);
    *type = 0;
    *op = 0;
    for (uint16_t i = 1; i < std::size(kConfigTypes) && core.atomicOp != AtomicOp::None; ++i) {
        *type = kConfigTypes[i] == core.atomicDtype ? i : *type;
    }
}

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
