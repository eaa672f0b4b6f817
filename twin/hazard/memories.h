// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/byte_range.h"
#include "core/core.h"
#include "core/types.h"
#include "hazard/core_findings.h"
#include "hazard/core_log.h"
#include "hazard/core_order.h"
#include "hazard/history.h"
#include "hazard/shadow.h"
#include "hazard/taint.h"

namespace twin::hazard {

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
    /// is valid until the next call. With `note`, later writes are compared with this read.
    const std::vector<TaintedRun>& Read(const CurrentAccess& now, bool note, CoreOrder& order,
                                        CoreFindings* findings);
    /// Notes a read that Read() has checked. Call it after the instruction's writes, for operands
    /// that overlap a result: Write() must find the reads of earlier instructions, not this read.
    void NoteRead(const CurrentAccess& now);
    void Write(const CurrentAccess& now, uint16_t taint, CoreOrder& order, CoreFindings* findings);
    /// Notes that the library has written the operand and has waited for the write.
    void WriteByLibrary(const CurrentAccess& now);
    /// Returns true if some bytes of [begin, end) are invalid or were never written.
    bool AnyInvalid(Memory memory, uint64_t begin, uint64_t end) {
        return !shadows_[static_cast<size_t>(memory)].All(
            begin, end, [](const Cell& cell) { return cell.write.Exists() && cell.taint == 0; });
    }
    /// Marks bytes as invalid; `taint` is the number of their origin.
    void Taint(Memory memory, uint64_t begin, uint64_t end, uint16_t taint);
    /// Marks the bits [from, to) as invalid, in addition to bits that are marked already. Bit n is
    /// in byte n / 8.
    void TaintBits(Memory memory, uint64_t from, uint64_t to, uint16_t taint);

    void OnQueueFlag(const record::Flag& flag, const Location& where);
    void OnBuffer(const BufferRecord& buffer);
    void Clear() {
        shadows_.clear();
        partly_.clear();
    }

private:
    void CheckRead(const Cell& cell, const CurrentAccess& now, uint64_t begin, uint64_t end,
                   CoreOrder& order, CoreFindings* findings) const;
    bool HeldByAnother(const ByteRange& range, const Core& core) const;
    void TaintByte(Memory memory, uint64_t place, uint8_t bits, uint16_t taint);
    uint8_t InvalidBits(const Cell& cell, uint64_t begin, uint64_t end) const;

    /// Invalid bits of a byte of a mask, and the latest write to the byte.
    struct PartlyInvalid {
        uint8_t bits = 0;
        Access write;
    };

    std::vector<Shadow> shadows_;  ///< access history of each memory
    /// By queue and slot: location of the FreeTensor that has released the buffer.
    std::unordered_map<uint32_t, Location> freed_;
    Access registers_[kRegisters];              ///< latest write to each register
    std::vector<TaintedRun> tainted_;           ///< result of the latest Read()
    std::map<uint64_t, PartlyInvalid> partly_;  ///< by address: mask bytes with some invalid bits
};

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
    /// Unwritten bytes of global memory that an instruction (`by`) has loaded to L1.
    struct Loaded {
        const CurrentAccess& by;
        uint64_t begin;  ///< device address
        uint64_t end;
    };
    /// Marks the bytes [begin, end) of L1, to which unwritten bytes (`from`) have been loaded. Call
    /// it after Check().
    void MarkLoaded(const Loaded& from, const Core& core, uint64_t begin, uint64_t end);
    /// Marks all bytes of L1 to which an instruction has loaded unwritten bytes (`from`). `host` is
    /// the host address of the first byte that the instruction reads from global memory. The
    /// instruction must have a MarkMover.
    void MoveLoaded(const std::vector<Loaded>& from, const Core& core, const uint8_t* host);
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
    /// Checks GetValue or SetValue, which access a line of the data cache. Returns true if the call
    /// polls a word, that is, if the call is the first read of the line after
    /// DataCacheCleanAndInvalid.
    bool AccessLine(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings,
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
