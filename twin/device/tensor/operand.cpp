// SPDX-License-Identifier: Apache-2.0
#include "device/tensor/operand.h"

#include <cinttypes>

#include "core/data_cache.h"
#include "device/types/enums.h"

namespace twin {
namespace {

void RecordScalar(Core& core, const char* opcode, const LegacyRange& range) {
    LegacyInstruction instruction;
    instruction.pipe = Pipe::S;
    instruction.opcode = opcode;
    instruction.elements = 1;
    instruction.Add(range);
    core.Record(instruction);
}

}  // namespace

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
        LegacyRange range;
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
        LegacyInstruction instruction;
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
