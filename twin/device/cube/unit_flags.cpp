// SPDX-License-Identifier: Apache-2.0
#include "device/cube/unit_flags.h"

#include "device/cube/fractals.h"

namespace twin::cube {
namespace {

constexpr uint8_t kKeep = 2;
constexpr uint8_t kChange = 3;

void CheckValue(uint8_t unitFlag, const char* api) {
    if (unitFlag != 0 && unitFlag != kKeep && unitFlag != kChange) {
        Fail("T461", "unit flag: %s with unitFlag %u, expected 0, 2 or 3", api, unitFlag);
    }
}

/// Handles one fractal: waits until its flag is `wanted`, then inverts it if asked to.
void Pass(Core& core, uint64_t cell, bool wanted, bool change, const char* api) {
    uint64_t& word = core.cube.unitFlags[cell / 64];
    const uint64_t bit = uint64_t{1} << cell % 64;
    if (((word & bit) != 0) != wanted) {
        Fail("T461",
             "unit flag: %s with a unit flag waits for L0C+0x%llx to be %s, which no earlier call "
             "has done; the cube core would hang\n  try: unitFlag 2 on all but the last Mmad, 3 on "
             "the last one and on the Fixpipe that copies the same fractals",
             api, static_cast<unsigned long long>(cell * kCellBytes),
             wanted ? "written" : "copied out");
    }
    word ^= change ? bit : 0;
}

}  // namespace

void WriteUnits(Core& core, uint32_t address, uint64_t cells, uint8_t unitFlag, const char* api) {
    CheckValue(unitFlag, api);
    for (uint64_t i = 0; unitFlag != 0 && i < cells; ++i) {
        Pass(core, address / kCellBytes + i, false, unitFlag == kChange, api);
    }
}

void ReadUnits(Core& core, uint32_t address, uint64_t cells, uint64_t stripes, uint64_t stride,
               uint8_t unitFlag, const char* api) {
    CheckValue(unitFlag, api);
    for (uint64_t stripe = 0; unitFlag != 0 && stripe < stripes; ++stripe) {
        for (uint64_t i = 0; i < cells; ++i) {
            Pass(core, address / kCellBytes + stripe * stride + i, true, unitFlag == kChange, api);
        }
    }
}

}  // namespace twin::cube
