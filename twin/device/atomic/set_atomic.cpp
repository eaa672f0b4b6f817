// SPDX-License-Identifier: Apache-2.0
#include "device/atomic/set_atomic.h"

#include <iterator>

#include "device/issue/issue.h"

namespace twin {
namespace {

/// Sets the atomic operation and the element type of copies to GM.
void Set(Opcode opcode, AtomicOp op, Dtype dtype, Location where) {
    Issue issue(opcode, where);
    issue.Type(dtype);
    if (opcode == Opcode::SetAtomic) {
        issue.Atomic(op);
    }
    issue.Writes(Register::Atomic);
    issue.Ready();
    issue.core().atomicOp = op;
    issue.core().atomicDtype = dtype;
    issue.core().modesSetAt.atomic = where;
    issue.Done();
}

/// Types in the order of AscendC::AtomicDtype. Entry 0 is for ATOMIC_NONE; its type has no effect.
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

void RefuseAtomicType(const char* api, Location where) {
    Self().Begin(where);
    Fail("T442",
         "assertion failed: %s: atomic copies on A2/A3 take int8_t, int16_t, half, bfloat16_t, "
         "int32_t, float",
         api);
}

void SetAtomicMode(AtomicOp op, Dtype dtype, Location where) {
    Set(Opcode::SetAtomic, op, dtype, where);
}

void SetAtomicDtype(Dtype dtype, Location where) {
    Set(Opcode::SetAtomicType, Self().atomicOp, dtype, where);
}

}  // namespace twin
