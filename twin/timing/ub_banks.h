// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_UB_BANKS_H
#define TWIN_TIMING_UB_BANKS_H

#include <cstdint>
#include <vector>

#include "core/instruction.h"

namespace twin::timing {

/// Cycles that the operands' places cost a vector instruction beyond one cycle per repeat.
///
/// The unified buffer has 16 groups of 3 banks; a block of 32 B at address a lies in group
/// (a / 32) % 16 of bank set a / 65536. A cycle reads one row and writes one row of a group.
/// - Blocks of two sources in one group: the repeat is read in two cycles.
/// - k blocks of the destination in one group: the repeat is written in k cycles.
/// - A read of a bank that is written in the same cycle waits, unless the first blocks of source
///   and destination share a bank: the chip then delays the write by a repeat.
/// What a repeat reads is written kVectorDelay cycles later.
struct BankConflicts {
    uint64_t readRead = 0;
    uint64_t writeWrite = 0;
    uint64_t readWrite = 0;

    uint64_t Cycles() const { return readRead + writeWrite + readWrite; }
};

BankConflicts FindConflicts(const std::vector<ByteRange>& ranges, uint32_t repeats);

}  // namespace twin::timing

#endif  // TWIN_TIMING_UB_BANKS_H
