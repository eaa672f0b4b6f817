// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/types.h"
#include "hazard/core_findings.h"
#include "hazard/core_order.h"
#include "hazard/shadow.h"

namespace twin::hazard {

/// A run of bytes of an operand that are no data, or that nothing has written.
struct TaintedRun {
    uint64_t offset;  ///< offset in the operand, whose runs are counted one after another
    uint64_t bytes;
    uint64_t total;  ///< bytes of the operand
    uint16_t taint;  ///< number of the filler; 0: the bytes were never written
};

/// The history of a core's local memories and result registers, and the buffers of queues that
/// FreeTensor has taken back.
class LocalMemory {
public:
    LocalMemory() : shadows_(kMemories) {}

    /// Checks whether results that the scalar unit reads from registers are there.
    void CheckRegisters(const Instruction& i, const Access& access, CoreOrder& order,
                        CoreFindings* findings);
    void CheckFreed(const CurrentAccess& now, const Core& core, CoreFindings* findings) const;
    /// Returns the bytes of UB that the operand reads and that are no data, until the next call.
    const std::vector<TaintedRun>& Read(const CurrentAccess& now, CoreOrder& order,
                                        CoreFindings* findings);
    void Write(const CurrentAccess& now, uint16_t taint, CoreOrder& order, CoreFindings* findings);
    /// The library writes the operand, and has waited for it.
    void WriteByLibrary(const CurrentAccess& now);
    void Taint(Memory memory, uint64_t begin, uint64_t end, uint16_t taint);

    void OnQueueFlag(const record::Flag& flag, const Location& where);
    void OnBuffer(const BufferRecord& buffer);
    void Clear() { shadows_.clear(); }

private:
    void CheckRead(const Cell& cell, const CurrentAccess& now, uint64_t begin, uint64_t end,
                   CoreOrder& order, CoreFindings* findings) const;
    bool HeldByAnother(const ByteRange& range, const Core& core) const;

    std::vector<Shadow> shadows_;  ///< history of each memory
    std::unordered_map<uint32_t, Location>
        freed_;  ///< by queue and slot: place of the FreeTensor that has taken the buffer back
    Access registers_[kRegisters];     ///< latest write to each register
    std::vector<TaintedRun> tainted_;  ///< runs that the latest operand has read
};

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
