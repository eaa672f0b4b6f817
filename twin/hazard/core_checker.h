// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/cross_core.h"
#include "core/observer.h"
#include "core/settings.h"
#include "hazard/cube_bytes.h"
#include "hazard/finding.h"
#include "hazard/history.h"
#include "hazard/log.h"
#include "hazard/shadow.h"

namespace twin::hazard {

class Between;

/// Who sets a flag, or waits for it.
enum class FlagUser : uint8_t { Hand, Queue, Library };

/// Judges the instructions of one core in program order: what is before what on its pipes, whether
/// each access is ordered after those that it depends on, and how flags and queues are used. Keeps
/// a log of how the core met others and what it did to global memory.
class CoreChecker : public CoreRecorder {
public:
    CoreChecker(Hazards level, uint32_t block, uint32_t subBlock, CoreKind kind, uint32_t coreIdx,
                Between* between);

    void OnInstruction(const Instruction& instruction) override;
    void OnBuffer(const BufferEvent& event) override;
    void OnReturn() override;
    void OnSuccess() override;
    void OnFailure(const char* code, const char* text) override;

    static constexpr uint32_t kClients = 2;  ///< vector cores of a block

    Findings findings;
    /// What the core did by itself; of a cube core that has served, what it did for each client.
    std::vector<CoreLog> logs = std::vector<CoreLog>(1);
    Sites sites;
    bool returned = false;
    const uint32_t block;
    const uint32_t subBlock;
    const CoreKind kind;
    const uint32_t coreIdx;  ///< among all cores of the launch
    /// Without what other cores may have put in order.
    void TakeBackDoubts();

    /// How the core used a flag between cores.
    struct CrossUse {
        uint32_t sets[3] = {};  ///< by mode
        uint32_t waits = 0;
        Location where;  ///< of the latest set
        Pipe pipe = Pipe::S;
        uint64_t sequence = 0;
    };
    CrossUse crossUses[CrossCoreFlags::kFlags];

    Party PartyOf(const Site& site, bool write) const;
    Party PartyOf(const Access& access, bool write) const {
        return PartyOf(sites[access.site], write);
    }
    Party PartyOf(const Location& where, const char* opcode, Pipe pipe) const;

private:
    struct FlagState {
        bool set = false;
        FlagUser user = FlagUser::Hand;
        Location where;
        uint64_t sequence = 0;
    };
    /// A line of the scalar data cache.
    struct Line {
        uint64_t dirty = 0;      ///< bit i: byte i was written and not written back
        Access write;            ///< the latest one
        uint8_t bytes[64] = {};  ///< what was written
        Access overtaken;        ///< a copy of this core that changed the memory since it came in
        uint64_t overtakenBits = 0;
    };
    /// Bytes that are no data: DataCopyPad's filler, or what nothing has written. Whoever computes
    /// with them element by element passes them on.
    struct Taint {
        bool filler;
        Access origin;  ///< the DataCopyPad, or who read what was never written
        ByteRange range;
        uint64_t begin;
        uint64_t end;
    };
    struct TaintRun {
        uint64_t offset;  ///< in the operand, its runs behind each other
        uint64_t bytes;
        uint64_t total;
        uint16_t taint;
    };

    // --- dispatch: core_checker.cpp ---
    bool IsSync(const Instruction& i);
    void BeginAccess(const Instruction& i);
    void ChainSteps(const Instruction& i);
    void Registers(const Instruction& i);
    bool KeepReference(const Instruction& i);
    void SettleReference();
    const uint8_t* BytesAt(const ByteRange& range, uint64_t begin) const;

    // --- other cores: meetings.cpp ---
    void Logged(bool met);
    void Doubted(const Access& before);
    void Meet(const Instruction& i);
    void NoteUse(const Instruction& i, const record::CrossFlag& flag);
    void Log(const CoreSync& sync, const Clock& clock, bool mayMiss = false);
    void BeginService(const Instruction& i, const CoreSync& sync);
    void EndService();
    void MeetPair(Opcode opcode, const CoreSync& sync, const Clock& clock);

    // --- what needs no flag: given.cpp ---
    bool Given(const Access& before, const ByteRange& range);
    bool GivenByHardware(const Access& before, const ByteRange& range) const;
    bool GivenByCompiler(const Access& before, const ByteRange& range) const;
    bool GivenByLibrary(const Access& before) const;
    bool GivenInside(const Access& before, const ByteRange& range) const;

    // --- local memories: local.cpp ---
    void Local(const Instruction& i);
    /// Calls visit(begin, end) for each piece of a range.
    template <typename Visit>
    static void EachRun(const ByteRange& range, Visit&& visit) {
        const Runs& runs = range.runs;
        for (uint64_t repeat = 0; repeat < runs.repeat.count; ++repeat) {
            for (uint64_t block = 0; block < runs.block.count; ++block) {
                const uint64_t begin =
                    range.begin + repeat * runs.repeat.stride + block * runs.block.stride;
                visit(begin, begin + runs.bytes);
            }
        }
    }
    void ReadLocal(const ByteRange& range);
    void WriteLocal(const ByteRange& range);
    void ReadWritten(const Cell& cell, const ByteRange& range, uint64_t begin, uint64_t end);
    void CheckFreed(const ByteRange& range);
    bool HeldByAnother(const ByteRange& range) const;

    // --- bytes that are no data: taint.cpp ---
    void ReadUnwritten(const ByteRange& range, uint64_t begin, uint64_t end);
    void UseTaint(const Taint& taint, const ByteRange& range, uint64_t begin, uint64_t end);
    void JudgeTaint(const ByteRange& range, size_t known, uint64_t unwritten);
    bool PassesOn() const;
    void Spread();
    uint16_t NumberOf(bool filler, const ByteRange& range, uint64_t begin, uint64_t end);
    bool Poisoned(const ByteRange& range, uint64_t begin, uint64_t end) const;

    // --- the cube's memories: cube.cpp ---
    void Cube(const Instruction& i);
    void CubeReads(const Instruction& i);
    void CubeWrites(const Instruction& i);
    CubeBytes::Origin OriginIn(Memory memory) const;
    void NumberResults(const Instruction& i);
    void TakeOut(const ByteMarks::Taken& taken);

    // --- global memory: global.cpp ---
    void Global(const Instruction& i);
    void ReadGlobal(const ByteRange& range);
    bool FetchesProduct(const ByteRange& range) const;
    void WriteGlobal(const ByteRange& range);
    void ScalarGlobal(const ByteRange& range);
    void CheckDirty(const ByteRange& range, bool write);
    void Overtake(const ByteRange& range);
    std::vector<uint64_t> LineNumbers() const;
    void Clean(uint64_t line);
    void EndCache();
    void WriteBack(uint64_t begin, Line& line, bool late);
    void CheckLost(uint64_t begin, const Line& line);
    void LogAccess(uint64_t begin, const Runs& runs, const Access& access, bool write,
                   Cached cached, uint32_t told = 0, bool word = false);
    // Words that cores hand over by: handover.cpp.
    uint32_t Stamp() { return clocks_.Issue(kScalarRead); }
    void Publish(Published what);
    void PublishWord(const ByteRange& range);
    void PollWord(const ByteRange& range, const Access& read, Cached cached);
    bool WasCleaned(uint64_t line) const { return allCleaned_ || cleaned_.count(line) != 0; }

    // --- flags: protocol.cpp ---
    void Flag(const Instruction& i, const record::Flag& use);
    void EndFlags();
    void FlagFinding(const char* code, const char* kind, const Party& second,
                     const FlagState* first, const std::string& flag, const std::string& missing,
                     uint64_t sequence);

    /// `before` and the current access are in no order, or one of them is a mistake by itself.
    void Report(const char* code, const char* kind, const Access* before, bool writeBefore,
                const ByteRange& range, uint64_t begin, uint64_t end, bool write);
    bool Ordered(const Access& before) const {
        return known_->Covers(before.lane, before.index) || before.lane == kScalarRead ||
               before.SameInstruction(now_) || (vectorGiven_ && before.lane == kV);
    }
    void Against(const Access& before, bool writeBefore, const ByteRange& range, uint64_t begin,
                 uint64_t end, bool write);
    void Describe(const ByteRange& range, uint64_t begin, Finding* finding) const;

    const Hazards level_;
    Between* const between_;
    std::vector<uint64_t> doubted_;  ///< by finding: what others may have put in order
    uint32_t logged_ = 0;            ///< since it was last the turn of the replay
    const Core* core_ = nullptr;     ///< while the kernel runs
    CoreClocks clocks_;
    std::deque<Clock> ownSets_[CrossCoreFlags::kFlags];  ///< that later waits stand for, too
    std::vector<Shadow> local_;                          ///< by memory
    History<Cell> global_;
    std::unordered_map<uint64_t, Line> lines_;
    uint32_t dirtyLines_ = 0;
    std::unordered_set<uint64_t> cleaned_;  ///< lines that DataCacheCleanAndInvalid has named
    bool allCleaned_ = false;
    FlagState flags_[kHardEvents][kEventIds];
    std::unordered_map<uint32_t, Location> freed_;  ///< queue and slot: taken back, by FreeTensor
    std::vector<Taint> taints_;                     ///< from number 1 on
    std::map<std::pair<uint32_t, bool>, uint16_t> taintNumbers_;  ///< by site and kind
    std::vector<TaintRun> tainted_;  ///< what the current instruction reads of them
    CubeBytes cube_;

    Access registers_[kRegisters];  ///< who wrote them last

    // The current instruction.
    const Instruction* instruction_ = nullptr;
    Access now_;
    const Clock* known_ = nullptr;
    std::vector<uint64_t> reported_;  ///< instructions before it that it clashes with
    std::vector<uint32_t> firstRun_;  ///< by site: the sequence of its first run
    bool acquired_ = false;           ///< other cores have told this one something
    bool vectorGiven_ = false;        ///< earlier vector instructions are before it

    // The latest step of each lane of the library call that the current one belongs to.
    uint64_t callBegin_ = UINT64_MAX;
    uint32_t steps_[kLanes] = {};
    bool asks_ = false;  ///< a vector core that has sent its cube core a Matmul message
    // Of a cube core that serves.
    bool serving_ = false;
    uint32_t services_ = 0;  ///< how often it has begun to
    uint32_t part_ = 0;      ///< whose request it works off, from 1; the log that this goes to
    uint32_t shift_ = 0;     ///< from the order of its program to that of its work for the client
    uint32_t served_[1 + kClients] = {};  ///< instructions so far, by client
    uint32_t joined_[1 + kClients] = {};  ///< the latest service with one, by client
    uint32_t matmulSteps_[kLanes] = {};   ///< of all calls of the Matmul library
    // A reference to an element that the call before handed out.
    Instruction reference_;
    uint8_t referenceBytes_[8] = {};
    bool referencePending_ = false;
};

bool WritesGm(const Instruction& instruction);

}  // namespace twin::hazard
