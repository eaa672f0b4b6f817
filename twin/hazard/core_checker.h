// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/core.h"
#include "core/cross_core.h"
#include "core/observer.h"
#include "hazard/core_findings.h"
#include "hazard/core_log.h"
#include "hazard/core_order.h"
#include "hazard/memories.h"

namespace twin::hazard {

/// The use of a flag between cores by one core.
struct CrossFlagUse {
    uint32_t sets[3] = {};  ///< number of sets in each mode
    uint32_t waits = 0;
    Location where;  ///< place of the latest set
    Pipe pipe = Pipe::S;
    uint64_t sequence = 0;
};

/// Checks the flags of a core: each is set once and then waited for once, both by queues or both by
/// the kernel. It also counts the uses of flags between cores, for the check at the launch's end.
class FlagProtocol {
public:
    void Check(const Instruction& i, const record::Flag& use, CoreFindings* findings);
    /// The core sets a flag between cores after the instructions that `ended` counts.
    void NoteCrossSet(const Instruction& i, const record::CrossFlag& flag, const Clock& ended);
    /// Returns the clock of the core's own set, because in modes 0 and 1 a core waits for that set,
    /// too.
    std::optional<Clock> NoteCrossWait(const record::CrossFlag& flag);
    /// Reports flags that are left set when the kernel returns.
    void End(CoreFindings* findings) const;

    const CrossFlagUse& CrossUse(uint32_t flag) const { return crossUses_.at(flag); }

private:
    /// Says who sets a flag, or waits for it.
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
    /// Clocks of the core's own sets that it has not waited for.
    std::deque<Clock> ownSets_[CrossCoreFlags::kFlags];
};

/// The flags of one core of a launch.
struct CoreFlags {
    CoreId core;
    const FlagProtocol* flags = nullptr;  ///< nullptr: the core has issued no instruction
};

/// Finds flags between cores that a launch leaves behind: counters above 0, and sets of too few
/// cores for an event. `cores` has all cores of the launch.
void FindLeftFlags(BlockShape shape, std::vector<CoreFlags> cores, Findings* found);

class InterCoreChecker;

/// operator() of a local tensor returns a reference to an element. The checker sees whether the
/// kernel has written through it when the next instruction comes.
class ElementReference {
public:
    /// Keeps the instruction if it returns a reference.
    bool Keep(const Instruction& i, const Core& core);
    bool Pending() const { return pending_; }
    /// Returns the instruction, as a write if the kernel has written through the reference.
    const Instruction& Settle(const Core& core);

private:
    Instruction instruction_;
    uint8_t bytes_[8] = {};
    bool pending_ = false;
};

/// Judges the instructions of one core in program order: it passes each instruction to the parts
/// that it concerns, and passes the logs of the core to the checker of all cores.
class CoreChecker : public CoreRecorder {
public:
    CoreChecker(Hazards level, const CoreId& id, InterCoreChecker* interCore)
        : interCore_(interCore), order_(level, id.kind), findings_(id) {}

    void OnInstruction(const Instruction& i) override;
    void OnBuffer(const BufferEvent& event) override { local_.OnBuffer(event.buffer); }
    void OnReturn() override;
    void OnSuccess() override;
    void OnFailure(const char* code, const char* text) override;

    uint32_t Index() const { return findings_.Id().index; }
    CoreFindings& Found() { return findings_; }
    CoreLogs& Logs() { return logs_; }
    CoreFlags Flags() const { return {findings_.Id(), &flags_}; }

private:
    void Check(const Instruction& i);
    /// Returns true for an instruction that orders others and accesses nothing.
    bool Synchronises(const Instruction& i);
    Access Issue(const Instruction& i);
    void CheckReference();
    void NoteTentative();
    void CheckLocal(const Instruction& i, const Access& access);
    void CheckGlobal(const Instruction& i, Access access);
    bool FetchesProduct(const CurrentAccess& now) const;
    void Meet(const Instruction& i);
    void MeetByFlag(const Instruction& i, const record::CrossFlag& flag);
    void MeetPair(Opcode opcode, const CoreSync& sync, const Clock& clock);
    void HandOver();

    InterCoreChecker* const interCore_;
    const Core* core_ = nullptr;  ///< the core, while its kernel runs
    CoreOrder order_;
    CoreFindings findings_;
    LocalMemory local_;
    Taint taint_;
    CubeMemories cube_;
    GlobalMemory global_;
    FlagProtocol flags_;
    MatmulService service_;
    CoreLogs logs_;
    ElementReference reference_;
};

}  // namespace twin::hazard
