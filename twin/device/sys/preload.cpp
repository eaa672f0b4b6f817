// SPDX-License-Identifier: Apache-2.0
#include "device/sys/preload.h"

#include <cinttypes>

namespace twin {

void PreloadInstructions(int64_t length, Location where) {
    constexpr int64_t kUnits = 8;  // of 2 KiB: the instruction cache of a vector core
    Core& core = Self();
    core.Begin(where);
    if (core.strict && (length < 0 || length >= kUnits)) {
        Fail("T402",
             "length out of range: ICachePreLoad(%" PRId64 "), expected 0 to %" PRId64
             " units of 2 KiB (the instruction cache has 16 KiB)",
             length, kUnits - 1);
    }
    if (core.Recording()) {
        LegacyInstruction instruction;
        instruction.opcode = "ICachePreLoad";
        core.Record(instruction);
    }
}

}  // namespace twin
