// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>

#include "device/issue/operand.h"
#include "device/types/enums.h"

namespace twin {
namespace {

const char* PositionName(uint8_t position) {
    static const char* const kNames[] = {
        "GM",  "A1",    "A2",     "B1",      "B2",  "C1",   "C2",        "CO1",
        "CO2", "VECIN", "VECOUT", "VECCALC", "SHM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
    return position < 16 ? kNames[position] : "?";
}

[[noreturn]] void RefuseShort(const Operand& operand, Memory memory, uint64_t bytes,
                              const char* api, const char* name) {
    Fail("T107",
         "tensor too small: %s %s covers %" PRIu64 " B, the tensor at %s+0x%x has %u B left%s", api,
         name, bytes, Name(memory), operand.address, operand.bytes,
         "\n  try: a larger buffer, or SetSize where the tensor was made smaller on purpose");
}

}  // namespace

Operand UbPlace(uint64_t address, uint64_t bytes) {
    return Operand{static_cast<uint32_t>(address), static_cast<uint32_t>(bytes),
                   static_cast<uint8_t>(AscendC::TPosition::VECCALC)};
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
        Fail("T401", "wrong memory: %s takes %s in %s%s, it is at %s%s", api, name, Name(memory),
             memory == Memory::Ub ? " (VECIN, VECOUT, VECCALC)" : "",
             PositionName(operand.position),
             operand.position == 0 ? "; was the tensor taken from a queue or buffer?" : "");
    }
}

uint8_t* CheckLocalOperand(Core& core, const Operand& operand, Memory memory, uint64_t bytes,
                           uint32_t alignment, const char* api, const char* name) {
    RequireMemory(operand, memory, api, name);
    uint8_t* start = core.CheckLocal(memory, operand.address, bytes, alignment, api, name);
    if (__builtin_expect(bytes > operand.bytes && core.strict, 0)) {
        RefuseShort(operand, memory, bytes, api, name);
    }
    return start;
}

}  // namespace twin
