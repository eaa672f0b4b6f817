// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>

#include "core/memory_map.h"
#include "device/issue/operand.h"

namespace twin {
namespace {

const char* PositionName(uint8_t position) {
    static const char* const kNames[] = {
        "GM",  "A1",    "A2",     "B1",      "B2",  "C1",   "C2",        "CO1",
        "CO2", "VECIN", "VECOUT", "VECCALC", "SHM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
    return position < 16 ? kNames[position] : "?";
}

}  // namespace

void RefuseMemory(const Operand& operand, Memory memory, const char* api, const char* name) {
    Fail("T401", "wrong memory: %s takes %s in %s%s, it is at %s%s", api, name, Name(memory),
         memory == Memory::Ub ? " (VECIN, VECOUT, VECCALC)" : "", PositionName(operand.position),
         operand.position == 0 ? "; was the tensor taken from a queue or buffer?" : "");
}

void RefuseShort(const Operand& operand, Memory memory, uint64_t bytes, const char* api,
                 const char* name) {
    Fail("T107",
         "tensor too small: %s %s covers %" PRIu64 " B, the tensor at %s+0x%x has %u B left%s%s",
         api, name, bytes, Name(memory), operand.address, operand.bytes,
         DrawAccess(Self(), memory, operand.address, bytes, operand.bytes).text,
         "\n  try: a larger buffer, or SetSize where the tensor was made smaller on purpose");
}

}  // namespace twin
