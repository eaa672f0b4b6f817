// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/core.h"
#include "core/cross_core.h"
#include "core/observer.h"
#include "hazard/core_findings.h"
#include "hazard/core_log.h"
#include "hazard/core_order.h"
#include "hazard/memories.h"
#include "hazard/workspace.h"

namespace twin::hazard {

/// Counts how one core uses one cross-core flag.
struct CrossFlagUse {
    uint32_t sets[3] = {};  ///< number of sets in each mode
    uint32_t waits = 0;
    Location where;  ///< source location of the latest set
    Pipe pipe = Pipe::S;
    uint64_t sequence = 0;
};

/// Checks the flags between the pipes of a core: one wait must follow each set, and a queue must
/// not share an event id with the kernel's own flags. Also counts the uses of cross-core flags,
/// which FindLeftFlags() checks at the launch's end.
class FlagProtocol {
public:
    void Check(const Instruction& i, const record::Flag& use, CoreFindings* findings);
    /// Notes that the core sets a cross-core flag after the instructions that `ended` counts.
    void NoteCrossSet(const Instruction& i, const record::CrossFlag& flag, const Clock& ended);
    /// Notes that the core waits for a cross-core flag. In modes 0 and 1 the core also waits for
    /// its own set of the flag; returns the clock of this set.
    std::optional<Clock> NoteCrossWait(const record::CrossFlag& flag);
    /// Reports flags that are still set when the kernel returns.
    void End(CoreFindings* findings) const;

    const CrossFlagUse& CrossUse(uint32_t flag) const { return crossUses_.at(flag); }

private:
    /// Who sets a flag or waits for it: the kernel's own code, a queue, or the library.
    enum class User : uint8_t { Hand, Queue, Library };
    struct FlagState {
        bool set = false;
        User user = User::Hand;
        Location where;
        uint64_t sequence = 0;
    };

    static User UserOf(QueueEvent cause, bool set);

    FlagState flags_[kHardEvents][kEventIds];
    std::array<CrossFlagUse, CrossCoreFlags::kFlags> crossUses_;
    /// For each flag id: this core's clock at each set for which the core has not waited yet.
    std::deque<Clock> ownSets_[CrossCoreFlags::kFlags];
};

/// A core of a launch, with the flags that it has used.
struct CoreFlags {
    CoreId core;
    const FlagProtocol* flags = nullptr;  ///< nullptr if the core has not run
};

/// Reports cross-core flags that are still set at the launch's end: a flag's counter is above 0, or
/// one core has set the flag more often than another core. `cores` must contain all cores.
void FindLeftFlags(BlockShape shape, std::vector<CoreFlags> cores, Findings* found);

class InterCoreChecker;

/// The element reference that LocalTensor::operator() has returned. At the next instruction the
/// checker compares the element's bytes, to see if the kernel has written through the reference.
class ElementReference {
public:
    /// Stores an instruction that returns an element reference; returns false for any other one.
    bool Keep(const Instruction& i, const Core& core);
    bool Pending() const { return pending_; }
    /// Returns the stored instruction: a write if the element's bytes have changed, else a read.
    const Instruction& Settle(const Core& core);

private:
    Instruction instruction_;
    uint8_t bytes_[8] = {};
    bool pending_ = false;
};

/// Checks the instructions of one core in program order, and passes the core's logs to the
/// InterCoreChecker.
class CoreChecker : public CoreRecorder {
public:
    CoreChecker(Hazards level, const CoreId& id, InterCoreChecker* interCore,
                std::shared_ptr<CallLines> lines, Workspaces* workspaces)
        : interCore_(interCore),
          order_(level, id.kind),
          findings_(id, std::move(lines)),
          workspaceReads_(workspaces) {}

    void OnOperands(const Instruction& next, const Core& core) override {
        workspaceReads_.Before(next);
        taint_.Before(next, core, &local_);
    }
    void OnInstruction(const Instruction& i) override;
    void OnBuffer(const BufferEvent& event) override { local_.OnBuffer(event.buffer); }
    void OnReturn(const Core& core) override;
    void OnSuccess() override;
    void OnMistake(const char* code, const char* text) override;
    void OnFailure(const char* code, const char* text) override;

    uint32_t Index() const { return findings_.Id().index; }
    const CoreId& Id() const { return findings_.Id(); }
    CoreFindings& Found() { return findings_; }
    CoreLogs& Logs() { return logs_; }
    const MatmulService& Service() const { return service_; }
    CoreFlags Flags() const { return {findings_.Id(), &flags_}; }

private:
    void Check(const Instruction& i);
    /// Executes a barrier, cache clean or cross-core operation; returns false for other opcodes.
    bool Synchronises(const Instruction& i);
    Access Issue(const Instruction& i);
    void CheckReference();
    void NoteTentative();
    void CheckLocal(const Instruction& i, const Access& access);
    /// Checks an access to GM. Returns true if the instruction polls a word.
    bool CheckGlobal(const Instruction& i, Access access);
    bool FetchesProduct(const CurrentAccess& now) const;
    void Meet(const Instruction& i);
    void MeetByFlag(const Instruction& i, const record::CrossFlag& flag);
    void MeetPair(Opcode opcode, const CoreSync& sync, const Clock& clock);
    void HandOver();
    void AddError(const char* code, const char* kind, const char* memory, const char* text,
                  Party party);

    InterCoreChecker* const interCore_;
    const Core* core_ = nullptr;  ///< set at the core's first instruction
    CoreOrder order_;
    CoreFindings findings_;
    LocalMemory local_;
    Taint taint_;
    CubeMemories cube_;
    GlobalMemory global_;
    WorkspaceReads workspaceReads_;
    FlagProtocol flags_;
    MatmulService service_;
    CoreLogs logs_;
    ElementReference reference_;
};

}  // namespace twin::hazard
