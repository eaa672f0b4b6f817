// SPDX-License-Identifier: Apache-2.0
#include "device/tensor/operand.h"

#include <cinttypes>

#include "core/data_cache.h"
#include "device/issue/issue.h"

namespace twin {
namespace {

/// Operators of tensors hand no place over: what counts is the call before.
Location PlaceOf(Location where) { return where.line == 0 ? Self().where : where; }

}  // namespace

void* LocalScalar(const Operand& operand, uint32_t bytes, bool write, const char* api,
                  Location where) {
    Issue issue(api, Pipe::S, PlaceOf(where));
    issue.Work(0, 1);
    // The scalar unit reaches UB and L1, no other local memory.
    const Memory memory = MemoryOf(operand.position) == Memory::L1 ? Memory::L1 : Memory::Ub;
    void* place = CheckLocalOperand(issue.core(), operand, memory, bytes, bytes, api, "element");
    issue.Note("element", memory, operand.address, Runs(bytes), write);
    issue.Done();
    return place;
}

void* LocalPointer(const Operand& operand) {
    const Memory memory = MemoryOf(operand.position);
    if (memory == Memory::Gm) {
        RequireMemory(operand, Memory::Ub, "GetPhyAddr", "tensor");
    }
    uint8_t* const start = Self().memory[static_cast<size_t>(memory)];
    // Kernels take addresses on both kinds of cores and use them on one.
    return start == nullptr ? nullptr : start + operand.address;
}

namespace {

/// Notes a scalar access, which must lie inside one line of the data cache; its allocation.
const GmRange& NoteScalar(Issue& issue, const GmOperand& operand, uint32_t bytes, bool write) {
    issue.Opcode(write ? "SetValue" : "GetValue");
    issue.Work(0, 1);
    issue.NoteGm("element", operand, Runs(bytes), write, bytes);
    issue.Reads(Register::DataCache);
    issue.Writes(Register::DataCache);
    issue.Done();
    return *issue.core().FindRange(operand.origin);
}

}  // namespace

const void* GmScalar(const GmOperand& operand, uint32_t bytes, const char* api, Location where) {
    Issue issue(api, Pipe::S, PlaceOf(where));
    Core& core = issue.core();
    const GmRange& range = NoteScalar(issue, operand, bytes, false);
    core.NotePoll(operand.address, bytes);
    return core.cache->Read(range, operand.address, bytes);
}

void GmScalarWrite(const GmOperand& operand, const void* value, uint32_t bytes, const char* api,
                   Location where) {
    Issue issue(api, Pipe::S, PlaceOf(where));
    const GmRange& range = NoteScalar(issue, operand, bytes, true);
    issue.core().cache->Write(range, operand.address, value, bytes);
}

void CleanDataCache(const GmOperand& operand, bool entire, Location where) {
    Issue issue(entire ? "DcciAll" : "DcciLine", Pipe::S, where);
    Core& core = issue.core();
    if (entire) {
        core.cache->CleanAndInvalidateAll();
    } else {
        core.cache->CleanAndInvalidate(operand.address);
    }
    issue.Writes(Register::DataCache);
    issue.Done();
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
