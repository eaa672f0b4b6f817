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

/// A run of an operand's bytes that are no valid data: filler of DataCopyPad, or never written.
struct TaintedRun {
    uint64_t offset;  ///< offset in the operand, without the gaps between its runs
    uint64_t bytes;
    uint64_t total;  ///< number of bytes of the whole operand
    uint16_t taint;  ///< number of the origin (Taint::Origin) of the bytes; 0: never written
};

/// Checks a core's accesses to local memories and result registers, and its use of queue buffers
/// after FreeTensor.
class LocalMemory {
public:
    LocalMemory() : shadows_(kMemories) {}

    /// Reports a scalar read of a result register if no order puts the read after the write.
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

    std::vector<Shadow> shadows_;  ///< access history of each memory
    /// By queue and slot: location of the FreeTensor that has released the buffer.
    std::unordered_map<uint32_t, Location> freed_;
    Access registers_[kRegisters];     ///< latest write to each register
    std::vector<TaintedRun> tainted_;  ///< result of the latest Read()
};

/// Tracks bytes of UB that are no valid data: filler (padding by DataCopyPad), and bytes that
/// nothing has written. Kernels may compute with such bytes, so they are reported only if they
/// reach GM, the scalar unit, or an instruction that mixes elements.
class Taint {
public:
    void BeginInstruction() { runs_.clear(); }
    /// Checks a read of these invalid bytes. Reports a use of the bytes as data.
    void Judge(const std::vector<TaintedRun>& runs, const CurrentAccess& now, const Core& core,
               CoreFindings* findings);
    /// Returns the origin number for the filler that this DataCopyPad writes.
    uint16_t NumberOfFiller(const CurrentAccess& now) {
        return NumberOf(true, now, now.range.begin, now.range.begin + now.range.runs.bytes);
    }
    /// Marks as invalid the result elements that the instruction computes from invalid bytes.
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

    std::vector<Origin> origins_;                            ///< origins_[i] has the number i + 1
    std::map<std::pair<uint32_t, bool>, uint16_t> numbers_;  ///< number by site and `filler`
    std::vector<TaintedRun> runs_;  ///< invalid bytes that the current instruction reads
};

/// Returns true if the bytes contain their initial pattern. If they do not, the kernel has written
/// them through a pointer; such writes are not recorded. Also returns true for bytes that the
/// instruction both reads and writes.
bool HoldsPoison(const Core& core, const Instruction& i, const ByteRange& range, uint64_t begin,
                 uint64_t end);

bool WritesGm(const Instruction& i);

/// Tracks for each byte of L1, L0, BT and FB whether it is data, was never written, or was computed
/// from bytes that were never written. Kernels load and compute whole fractals, so only elements
/// that reach a result are reported.
class CubeMemories {
public:
    /// Checks the bytes of the cube memories that the instruction reads, and sets the marks
    /// (ByteMarks) of the bytes that it writes.
    void Check(const Instruction& i, const Access& access, const Core& core,
               CoreFindings* findings);
    /// Marks as data all bytes that the instruction writes.
    void Write(const Instruction& i, const Core& core);
    void Clear();

private:
    /// An instruction that read unwritten bytes of a memory.
    struct Origin {
        Access reader;
        Memory memory;
        ByteRange range;
        uint64_t begin;
        uint64_t end;
    };

    /// Creates the marks for the bytes of a memory when an instruction first accesses the memory.
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
    /// Returns the mark for results that an instruction computes from the bytes of `origin`.
    uint8_t MarkOf(const Origin& origin);

    ByteMarks marks_;
    std::vector<uint8_t> images_[kMemories];
    /// By block of kMarkBlock bytes: 1 if some bytes of the block may be no data.
    std::vector<uint8_t> dirty_[kMemories];
    std::vector<Origin> origins_;  ///< origins_[i] belongs to mark i + 1
};

/// Checks the accesses of one core to global memory, tracks the lines of its scalar data cache, and
/// logs the accesses, which the replay compares with the accesses of other cores.
class GlobalMemory {
public:
    void Read(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings);
    void Write(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings);
    /// Checks GetValue or SetValue, which access a line of the data cache.
    void AccessLine(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings,
                    CoreLogs* logs);
    /// Executes DataCacheCleanAndInvalid for the line at address `line`; 0 means all lines.
    void Clean(uint64_t line, CoreOrder& order, CoreFindings* findings, CoreLogs* logs);
    /// Writes all lines back, as the toolkit's compiler does at the end of a kernel.
    void End(CoreOrder& order, CoreFindings* findings, CoreLogs* logs);

    // Logs a word that the scalar unit writes without the data cache; other cores may poll it.
    static void PublishWord(const CurrentAccess& now, CoreOrder& order, CoreLogs* logs);
    static void PollWord(const CurrentAccess& now, Cached cached, CoreFindings* findings,
                         CoreLogs* logs);

private:
    /// A line of the scalar data cache.
    struct Line {
        uint64_t dirty = 0;      ///< bit i: byte i was changed and not written back
        Access write;            ///< latest write to the line
        uint8_t bytes[64] = {};  ///< bytes that the core has written
        Access overtaken;  ///< copy by this core that changed the line in GM, but not in the cache
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
    std::unordered_set<uint64_t> cleaned_;  ///< lines that were cleaned one by one
    bool allCleaned_ = false;
};

}  // namespace twin::hazard
