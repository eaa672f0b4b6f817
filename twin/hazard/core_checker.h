// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/observer.h"
#include "hazard/core_findings.h"
#include "hazard/core_log.h"
#include "hazard/core_order.h"
#include "hazard/flag_protocol.h"
#include "hazard/memories.h"

namespace twin::hazard {

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
