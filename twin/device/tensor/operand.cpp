// SPDX-License-Identifier: Apache-2.0
#include "device/tensor/operand.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "core/data_cache.h"
#include "core/memory_map.h"
#include "device/issue/issue.h"

namespace twin {
namespace {

/// Operators of tensors do not pass their place in the source, so the place of the previous call is
/// used.
Location PlaceOf(Location where) { return where.line == 0 ? Self().where : where; }

}  // namespace

void* LocalScalar(const Operand& operand, uint32_t bytes, bool write, Opcode opcode,
                  Location where) {
    Issue issue({opcode, Pipe::S}, PlaceOf(where));
    issue.Work(0, 1);
    // The scalar unit can access UB and L1, and no other local memory.
    const Memory memory = MemoryOf(operand.position) == Memory::L1 ? Memory::L1 : Memory::Ub;
    void* place = CheckLocalOperand(issue.core(), operand, memory, bytes, bytes, issue.api(),
                                    Name(Arg::Element));
    issue.Note(Arg::Element, memory, operand.address, Runs(bytes), write);
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

/// Notes a scalar access, which must lie inside one line of the data cache.
void NoteScalar(Issue& issue, const GmOperand& operand, uint32_t bytes, bool write,
                const char* api) {
    issue.Called(api);
    issue.Work(0, 1);
    issue.NoteGm(Arg::Element, operand, Runs(bytes), write, bytes);
    issue.Reads(Register::DataCache);
    issue.Writes(Register::DataCache);
}

record::GmScalar ScalarOf(const void* value, uint32_t bytes) {
    record::GmScalar scalar;
    std::memcpy(&scalar.value, value, std::min<size_t>(bytes, sizeof(scalar.value)));
    return scalar;
}

}  // namespace

const void* GmScalar(const GmOperand& operand, uint32_t bytes, const char* api, Location where) {
    Issue issue(Opcode::GetValue, PlaceOf(where));
    Core& core = issue.core();
    NoteScalar(issue, operand, bytes, false, api);
    core.NotePoll(operand.address, bytes);
    const GmRange& range = *core.FindRange(operand.origin);
    const uint8_t* const value = core.cache->Read(range, operand.address, bytes);
    issue.Is(ScalarOf(value, bytes));
    issue.Done();
    return value;
}

void GmScalarWrite(const GmOperand& operand, const void* value, uint32_t bytes, const char* api,
                   Location where) {
    Issue issue(Opcode::SetValue, PlaceOf(where));
    NoteScalar(issue, operand, bytes, true, api);
    Core& core = issue.core();
    issue.Is(ScalarOf(value, bytes));
    issue.Done();
    core.cache->Write(*core.FindRange(operand.origin), operand.address, value, bytes);
}

void CleanDataCache(const GmOperand& operand, bool entire, Location where) {
    Issue issue(entire ? Opcode::DcciAll : Opcode::DcciLine, where);
    Core& core = issue.core();
    record::CacheClean clean;
    if (entire) {
        core.cache->CleanAndInvalidateAll();
    } else {
        clean.line = core.DeviceAddress(operand.address);
        core.cache->CleanAndInvalidate(operand.address);
    }
    issue.Is(clean);
    issue.Writes(Register::DataCache);
    issue.Done();
}

void RefuseView(const Operand& operand, uint64_t offsetBytes, Location where) {
    if (Self().strict) {
        Self().Begin(where);
        const Memory memory = MemoryOf(operand.position);
        Fail("T107",
             "tensor too small: a view starts %" PRIu64 " B into a tensor of %u B at %s+0x%x%s%s",
             offsetBytes, operand.bytes, Name(memory), operand.address,
             memory == Memory::Gm
                 ? ""
                 : DrawAccess(Self(), memory, operand.address, offsetBytes + 1, operand.bytes).text,
             "\n  try: check the element offset given to operator[]");
    }
}

void RefuseOffset(int64_t number, Location where) {
    if (Self().strict) {
        Self().Begin(where);
        Fail("T107",
             "tensor too small: a view starts at element %" PRId64
             ", and operator[] takes 32 bits "
             "without a sign%s",
             number, "\n  try: check the element offset given to operator[]");
    }
}

void RefuseOddView(uint32_t offset, Location where) {
    Self().Begin(where);
    Fail("T414", "int4b_t in pairs: a view starts at element %u, in the middle of a byte%s", offset,
         "\n  try: an even element offset");
}

}  // namespace twin
