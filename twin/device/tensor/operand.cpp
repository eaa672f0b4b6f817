// SPDX-License-Identifier: Apache-2.0
#include "device/tensor/operand.h"

#include <cinttypes>

#include "core/data_cache.h"
#include "device/types/enums.h"

namespace twin {
namespace {

const char* PositionName(uint8_t position) {
    static const char* const kNames[] = {
        "GM",  "A1",    "A2",     "B1",      "B2",  "C1",   "C2",        "CO1",
        "CO2", "VECIN", "VECOUT", "VECCALC", "SHM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
    return position < 16 ? kNames[position] : "?";
}

void RecordScalar(Core& core, const char* opcode, const ByteRange& range) {
    Instruction instruction;
    instruction.pipe = Pipe::S;
    instruction.opcode = opcode;
    instruction.elements = 1;
    instruction.Add(range);
    core.Record(instruction);
}

}  // namespace

void RequireUb(const Operand& operand, const char* api, const char* name) {
    const auto position = static_cast<AscendC::TPosition>(operand.position);
    if (AscendC::GetPhyType(position) != AscendC::Hardware::UB) {
        Fail("T401", "wrong memory: %s takes %s in UB (VECIN, VECOUT, VECCALC), it is at %s%s", api,
             name, PositionName(operand.position),
             operand.position == 0 ? "; was the tensor taken from a queue or buffer?" : "");
    }
}

Memory MemoryOf(uint8_t position) {
    switch (AscendC::GetPhyType(static_cast<AscendC::TPosition>(position))) {
        case AscendC::Hardware::UB:
            return Memory::Ub;
        case AscendC::Hardware::L1:
            return Memory::L1;
        case AscendC::Hardware::L0A:
            return Memory::L0a;
        case AscendC::Hardware::L0B:
            return Memory::L0b;
        case AscendC::Hardware::L0C:
            return Memory::L0c;
        case AscendC::Hardware::BIAS:
            return Memory::Bt;
        case AscendC::Hardware::FIXBUF:
            return Memory::Fb;
        default:
            return Memory::Gm;
    }
}

void RequireMemory(const Operand& operand, Memory memory, const char* api, const char* name) {
    if (__builtin_expect(MemoryOf(operand.position) != memory, 0)) {
        Fail("T401", "wrong memory: %s takes %s in %s, it is at %s%s", api, name, Name(memory),
             PositionName(operand.position),
             operand.position == 0 ? "; was the tensor taken from a queue or buffer?" : "");
    }
}

namespace {

[[noreturn]] void RefuseShort(const Operand& operand, Memory memory, uint64_t bytes,
                              const char* api, const char* name) {
    Fail("T107",
         "tensor too small: %s %s covers %" PRIu64 " B, the tensor at %s+0x%x has %u B left%s", api,
         name, bytes, Name(memory), operand.address, operand.bytes,
         "\n  try: a larger buffer, or SetSize where the tensor was made smaller on purpose");
}

}  // namespace

void CheckOperand(Core& core, const Operand& operand, uint64_t bytes, uint32_t alignment,
                  const char* api, const char* name) {
    RequireUb(operand, api, name);
    core.CheckUb(operand.address, bytes, alignment, api, name);
    if (__builtin_expect(bytes > operand.bytes && core.strict, 0)) {
        RefuseShort(operand, Memory::Ub, bytes, api, name);
    }
}

uint8_t* CheckLocalOperand(Core& core, const Operand& operand, Memory memory, uint64_t bytes,
                           uint32_t alignment, const char* api, const char* name) {
    RequireMemory(operand, memory, api, name);
    core.CheckLocal(memory, operand.address, bytes, alignment, api, name);
    if (__builtin_expect(bytes > operand.bytes && core.strict, 0)) {
        RefuseShort(operand, memory, bytes, api, name);
    }
    return core.memory[static_cast<size_t>(memory)] + operand.address;
}

void* LocalScalar(const Operand& operand, uint32_t bytes, bool write, const char* api,
                  Location where) {
    Core& core = Self();
    core.Begin(where.line == 0 ? core.where : where);
    const Memory memory = MemoryOf(operand.position);
    if (memory != Memory::L1) {  // the scalar unit reaches UB and L1, no other local memory
        RequireUb(operand, api, "element");
    }
    void* place = CheckLocalOperand(core, operand, memory, bytes, bytes, api, "element");
    if (core.Recording()) {
        RecordScalar(core, api, core.Local(memory, operand.address, bytes, write));
    }
    return place;
}

void* LocalPointer(const Operand& operand) {
    const Memory memory = MemoryOf(operand.position);
    if (memory == Memory::Gm) {
        RequireUb(operand, "GetPhyAddr", "tensor");
    }
    uint8_t* const start = Self().memory[static_cast<size_t>(memory)];
    // Kernels take addresses on both kinds of cores and use them on one.
    return start == nullptr ? nullptr : start + operand.address;
}

namespace {

/// The range of a scalar access, which must lie inside one line of the data cache.
const GmRange& ScalarRange(Core& core, const GmOperand& operand, uint32_t bytes, bool write,
                           const char* api) {
    core.CheckGm(operand.origin, operand.address, bytes, bytes, write, api);
    if (operand.address % bytes != 0) {
        Fail("T104",
             "misaligned GM address: %s at 0x%" PRIxPTR
             ", expected a multiple of the element's %u B",
             api, operand.address, bytes);
    }
    if (core.Recording()) {
        ByteRange range;
        range.memory = Memory::Gm;
        range.begin = operand.address;
        range.bytes = bytes;
        range.write = write;
        RecordScalar(core, write ? "SetValue" : "GetValue", range);
    }
    return *core.FindRange(operand.origin);
}

}  // namespace

const void* GmScalar(const GmOperand& operand, uint32_t bytes, const char* api, Location where) {
    Core& core = Self();
    core.Begin(where.line == 0 ? core.where : where);
    const GmRange& range = ScalarRange(core, operand, bytes, false, api);
    core.NotePoll(operand.address, bytes);
    return core.cache->Read(range, operand.address, bytes);
}

void GmScalarWrite(const GmOperand& operand, const void* value, uint32_t bytes, const char* api,
                   Location where) {
    Core& core = Self();
    core.Begin(where.line == 0 ? core.where : where);
    core.cache->Write(ScalarRange(core, operand, bytes, true, api), operand.address, value, bytes);
}

void CleanDataCache(const GmOperand& operand, bool entire, Location where) {
    Core& core = Self();
    core.Begin(where);
    if (entire) {
        core.cache->CleanAndInvalidateAll();
    } else {
        core.cache->CleanAndInvalidate(operand.address);
    }
    if (core.Recording()) {
        Instruction instruction;
        instruction.pipe = Pipe::S;
        instruction.opcode = entire ? "DcciAll" : "DcciLine";
        core.Record(instruction);
    }
}

void RefuseView(const Operand& operand, uint64_t offsetBytes, Location where) {
    if (Self().strict) {
        Self().Begin(where);
        Fail("T107",
             "tensor too small: a view starts %" PRIu64 " B into a tensor of %u B at UB+0x%x%s",
             offsetBytes, operand.bytes, operand.address,
             "\n  try: check the element offset given to operator[]");
    }
}

void RefuseOddView(uint32_t offset, Location where) {
    Self().Begin(where);
    Fail("T414", "int4b_t in pairs: a view starts at element %u, in the middle of a byte%s", offset,
         "\n  try: an even element offset");
}

}  // namespace twin
