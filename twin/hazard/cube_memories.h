// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/byte_range.h"
#include "core/core.h"
#include "hazard/core_findings.h"

namespace twin::hazard {

/// Follows the bytes of L1, L0 and the tables: each holds data, was never written, or was computed
/// from bytes that were never written. Kernels load and compute whole fractals, so the checker
/// reports only elements that reach a result.
class CubeMemories {
public:
    /// Checks the bytes of the cube memories that the instruction reads, and marks those that it
    /// writes.
    void Check(const Instruction& i, const Access& access, const Core& core,
               CoreFindings* findings);
    /// Marks the bytes that the instruction writes as data.
    void Write(const Instruction& i, const Core& core);
    void Clear();

private:
    /// An instruction that read bytes of a memory that nothing had written.
    struct Origin {
        Access reader;
        Memory memory;
        ByteRange range;
        uint64_t begin;
        uint64_t end;
    };

    /// Creates the marks of a memory when an instruction first accesses it.
    void Make(const Core& core, Memory memory);
    void Write(Memory memory, uint64_t begin, uint64_t end);
    /// Returns true if all of the bytes are data.
    bool IsData(Memory memory, uint64_t begin, uint64_t end);
    /// Notes that marks of these bytes have changed.
    void Touch(Memory memory, uint64_t begin, uint64_t end);
    void CheckReads(const Instruction& i, const Access& access, const Core& core,
                    CoreFindings* findings);
    uint64_t CheckUnwritten(const Instruction& i, const ByteRange& range, const Core& core,
                            uint64_t begin, uint64_t end);
    Origin OriginIn(Memory memory, const Instruction& i, const Access& access) const;
    void NumberResults(const Instruction& i, const Access& access);
    void TakeOut(const Instruction& i, const Access& access, CoreFindings* findings);
    /// Returns the mark of the results that an instruction computes from bytes of this origin.
    uint8_t MarkOf(const Origin& origin);

    ByteMarks marks_;
    std::vector<uint8_t> images_[kMemories];
    std::vector<uint8_t>
        dirty_[kMemories];         ///< bit of each block: some of its bytes may be no data
    std::vector<Origin> origins_;  ///< origins of the marks, from mark 1 on
};

}  // namespace twin::hazard
