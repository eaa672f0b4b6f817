// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/byte_range.h"
#include "core/core.h"
#include "core/types.h"
#include "hazard/core_findings.h"
#include "hazard/core_log.h"
#include "hazard/core_order.h"
#include "hazard/history.h"
#include "hazard/shadow.h"

namespace twin::hazard {

/// A run of bytes of an operand that are no valid data: filler, or bytes that nothing has written.
struct TaintedRun {
    uint64_t offset;  ///< offset in the operand, as if its runs were contiguous
    uint64_t bytes;
    uint64_t total;  ///< bytes of the operand
    uint16_t taint;  ///< number of the origin (Taint); 0: the bytes were never written
};

/// Checks a core's accesses to local memories and result registers, and its use of queue buffers
/// after FreeTensor.
class LocalMemory {
public:
    LocalMemory() : shadows_(kMemories) {}

    /// Reports a scalar read of a result register that is not ordered after the write.
    void CheckRegisters(const Instruction& i, const Access& access, CoreOrder& order,
                        CoreFindings* findings);
    void CheckFreed(const CurrentAccess& now, const Core& core, CoreFindings* findings) const;
    /// Checks a read. Returns the operand's runs of UB bytes that may be no valid data; the result
    /// is valid until the next call.
    const std::vector<TaintedRun>& Read(const CurrentAccess& now, CoreOrder& order,
                                        CoreFindings* findings);
    void Write(const CurrentAccess& now, uint16_t taint, CoreOrder& order, CoreFindings* findings);
    /// Notes that the library has written the operand and has waited for the write.
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
    /// By queue and slot: location of the FreeTensor that has released the buffer.
    std::unordered_map<uint32_t, Location> freed_;
    Access registers_[kRegisters];     ///< latest write to each register
    std::vector<TaintedRun> tainted_;  ///< result of the latest Read()
};

/// Tracks bytes of UB that are no valid data: filler of DataCopyPad, and bytes that nothing has
/// written. Kernels compute on whole blocks and drop the rest, so only bytes that reach a result
/// are reported.
class Taint {
public:
    void BeginInstruction() { runs_.clear(); }
    /// Checks an operand that reads these invalid bytes; reports a use of them as data.
    void Judge(const std::vector<TaintedRun>& runs, const CurrentAccess& now, const Core& core,
               CoreFindings* findings);
    /// Returns the origin number of the filler that the operand writes.
    uint16_t NumberOfFiller(const CurrentAccess& now) {
        return NumberOf(true, now, now.range.begin, now.range.begin + now.range.runs.bytes);
    }
    /// Marks the result elements that the instruction computes from invalid bytes.
    void Spread(const Instruction& i, LocalMemory* memory) const;

private:
    /// The instruction that invalid bytes come from.
    struct Origin {
        bool filler;
        Access access;  ///< the DataCopyPad, or the first read of unwritten bytes
        ByteRange range;
        uint64_t begin;
        uint64_t end;
    };

    void Use(const Origin& origin, const CurrentAccess& now, uint64_t begin, uint64_t end,
             CoreFindings* findings) const;
    uint16_t NumberOf(bool filler, const CurrentAccess& now, uint64_t begin, uint64_t end);

    std::vector<Origin> origins_;                            ///< origins; number 1 is the first
    std::map<std::pair<uint32_t, bool>, uint16_t> numbers_;  ///< origin, by site and `filler`
    std::vector<TaintedRun> runs_;  ///< invalid bytes that the current instruction reads
};

/// Returns true if the bytes contain their initial pattern. If not, the kernel has written them
/// through a pointer, which is not recorded. Also returns true for bytes that the instruction
/// itself writes in place.
bool HoldsPoison(const Core& core, const Instruction& i, const ByteRange& range, uint64_t begin,
                 uint64_t end);

/// Returns true if the instruction writes to global memory.
bool WritesGm(const Instruction& i);

/// Tracks for each byte of L1, L0, BT and FB whether it is data, was never written, or was computed
/// from bytes that were never written. Kernels load and compute whole fractals, so only elements
/// that reach a result are reported.
class CubeMemories {
public:
    /// Checks the bytes of the cube memories that the instruction reads, and sets the marks of
    /// those that it writes.
    void Check(const Instruction& i, const Access& access, const Core& core,
               CoreFindings* findings);
    /// Marks the bytes that the instruction writes as data.
    void Write(const Instruction& i, const Core& core);
    void Clear();

private:
    /// An instruction that read bytes of a memory which nothing had written.
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
    bool IsData(Memory memory, uint64_t begin, uint64_t end);
    /// Notes that the marks of these bytes have changed.
    void Touch(Memory memory, uint64_t begin, uint64_t end);
    void CheckReads(const Instruction& i, const Access& access, const Core& core,
                    CoreFindings* findings);
    uint64_t CheckUnwritten(const Instruction& i, const ByteRange& range, const Core& core,
                            uint64_t begin, uint64_t end);
    Origin OriginIn(Memory memory, const Instruction& i, const Access& access) const;
    void NumberResults(const Instruction& i, const Access& access);
    void TakeOut(const Instruction& i, const Access& access, CoreFindings* findings);
    /// Returns the mark for results that an instruction computes from bytes of this origin.
    uint8_t MarkOf(const Origin& origin);

    ByteMarks marks_;
    std::vector<uint8_t> images_[kMemories];
    /// By block of kMarkBlock bytes: 1 if some of them may be no data.
    std::vector<uint8_t> dirty_[kMemories];
    std::vector<Origin> origins_;  ///< origins_[i] belongs to mark i + 1
};

/// Checks the accesses of one core to global memory, tracks the lines of its scalar data cache, and
/// logs the accesses that the replay compares with other cores.
class GlobalMemory {
public:
    void Read(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings);
    void Write(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings);
    /// Checks GetValue or SetValue, which access a line of the data cache.
    void AccessLine(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings,
                    CoreLogs* logs);
    /// Executes DataCacheCleanAndInvalid of the line with this address; 0: of all lines.
    void Clean(uint64_t line, CoreOrder& order, CoreFindings* findings, CoreLogs* logs);
    /// Writes all lines back, as the toolkit's compiler does at the end of a kernel.
    void End(CoreOrder& order, CoreFindings* findings, CoreLogs* logs);

    // Logs a word that the scalar unit writes past the data cache, so that other cores may poll it.
    static void PublishWord(const CurrentAccess& now, CoreOrder& order, CoreLogs* logs);
    static void PollWord(const CurrentAccess& now, Cached cached, CoreFindings* findings,
                         CoreLogs* logs);

private:
    /// A line of the scalar data cache.
    struct Line {
        uint64_t dirty = 0;      ///< bit i: byte i was changed and not written back
        Access write;            ///< latest write to the line
        uint8_t bytes[64] = {};  ///< bytes that the core has written
        Access overtaken;  ///< this core's copy that changed the line in memory after the load
        uint64_t overtakenBits = 0;
    };

    void CheckDirty(const CurrentAccess& now, CoreFindings* findings) const;
    void Overtake(const CurrentAccess& now);
    void WriteBack(uint64_t begin, Line* line, bool late, CoreOrder& order, CoreFindings* findings,
                   CoreLogs* logs);
    static void CheckLost(uint64_t begin, const Line& line, CoreFindings* findings);
    std::vector<uint64_t> LineNumbers() const;

    History<Cell> history_;
    std::unordered_map<uint64_t, Line> lines_;
    uint32_t dirtyLines_ = 0;
    std::unordered_set<uint64_t> cleaned_;  ///< addresses of the lines cleaned by address
    bool allCleaned_ = false;
};

}  // namespace twin::hazard
