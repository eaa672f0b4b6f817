// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_UNIT_FLAGS_H
#define TWIN_DEVICE_CUBE_UNIT_FLAGS_H

#include "device/issue/issue.h"

namespace twin::cube {

/// Notes in the record that a call with a unit flag reads and changes the flags.
inline void NoteUnits(Issue& issue, uint8_t unitFlag) {
    if (unitFlag != 0) {
        issue.Reads(Register::UnitFlags);
        issue.Writes(Register::UnitFlags);
    }
}
/// A product that writes `cells` fractals of L0C from `address` with unitFlag 0, 2 or 3: it waits
/// until they are free (2, 3) and marks them written (3). The twin runs in program order, so a wait
/// that is not already over never ends: T461.
void WriteUnits(Core& core, uint32_t address, uint64_t cells, uint8_t unitFlag, const char* api);
/// A copy out of `stripes` runs of `cells` fractals, `stride` fractals apart: it waits until they
/// are written (2, 3) and frees them (3).
void ReadUnits(Core& core, uint32_t address, uint64_t cells, uint64_t stripes, uint64_t stride,
               uint8_t unitFlag, const char* api);

}  // namespace twin::cube

#endif  // TWIN_DEVICE_CUBE_UNIT_FLAGS_H
