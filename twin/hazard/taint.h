// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "hazard/core_findings.h"
#include "hazard/local_memory.h"

namespace twin::hazard {

/// Follows bytes of UB that are no data: filler of DataCopyPad, or bytes that nothing has written.
/// Kernels compute on whole blocks and drop the rest, so only those bytes count that reach a
/// result.
class Taint {
public:
    void BeginInstruction() { runs_.clear(); }
    /// The operand reads these bytes.
    void Judge(const std::vector<TaintedRun>& runs, const CurrentAccess& now, const Core& core,
               CoreFindings* findings);
    /// Returns the number of the filler that the operand writes.
    uint16_t NumberOfFiller(const CurrentAccess& now) {
        return NumberOf(true, now, now.range.begin, now.range.begin + now.range.runs.bytes);
    }
    /// Marks the results that the instruction computes from such bytes, element by element.
    void Spread(const Instruction& i, LocalMemory* memory) const;

private:
    /// The instruction that such bytes come from.
    struct Origin {
        bool filler;
        Access access;  ///< the DataCopyPad, or the read of bytes that were never written
        ByteRange range;
        uint64_t begin;
        uint64_t end;
    };

    void Use(const Origin& origin, const CurrentAccess& now, uint64_t begin, uint64_t end,
             CoreFindings* findings) const;
    uint16_t NumberOf(bool filler, const CurrentAccess& now, uint64_t begin, uint64_t end);

    std::vector<Origin> origins_;  ///< origins, from number 1 on
    std::map<std::pair<uint32_t, bool>, uint16_t>
        numbers_;                   ///< numbers of origins, by site and kind
    std::vector<TaintedRun> runs_;  ///< runs of such bytes that the current instruction reads
};

/// Returns true if the bytes hold what they did at the start. The kernel may have written others
/// through a pointer, which no record shows. An instruction that works in place has changed them
/// itself.
bool HoldsPoison(const Core& core, const Instruction& i, const ByteRange& range, uint64_t begin,
                 uint64_t end);

/// Returns true if the instruction writes to global memory.
bool WritesGm(const Instruction& i);

}  // namespace twin::hazard
