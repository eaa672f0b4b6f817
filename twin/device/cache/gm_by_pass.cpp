// SPDX-License-Identifier: Apache-2.0
#include "device/cache/gm_by_pass.h"

#include <cinttypes>
#include <cstring>

#include "core/core.h"
#include "core/instruction.h"

namespace twin {
namespace {

void Access(const void* place, uint32_t bytes, bool write, Location where) {
    const char* api = write ? "WriteGmByPassDCache" : "ReadGmByPassDCache";
    const auto address = reinterpret_cast<uintptr_t>(place);
    Core& core = Self();
    core.Begin(where);
    core.CheckGm(address, address, bytes, bytes, write, api);
    const uint64_t device = core.DeviceAddress(address);
    if (device % bytes != 0) {
        Fail("T104",
             "misaligned GM address: %s at 0x%" PRIx64
             ", expected a multiple of the element's %u B",
             api, device, bytes);
    }
    core.OrderGm(address, bytes, write, api);
    if (!core.Recording()) {
        return;
    }
    LegacyRange range;
    range.memory = Memory::Gm;
    range.begin = address;
    range.bytes = bytes;
    range.write = write;
    LegacyInstruction instruction;
    instruction.pipe = Pipe::S;
    instruction.opcode = api;
    instruction.elements = 1;
    instruction.Add(range);
    core.Record(instruction);
}

}  // namespace

const void* ReadGmDirectly(const void* place, uint32_t bytes, Location where) {
    Access(place, bytes, false, where);
    Self().NotePoll(reinterpret_cast<uintptr_t>(place), bytes);
    return place;
}

void WriteGmDirectly(void* place, const void* value, uint32_t bytes, Location where) {
    Access(place, bytes, true, where);
    std::memcpy(place, value, bytes);
}

}  // namespace twin
