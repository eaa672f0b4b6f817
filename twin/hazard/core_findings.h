// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/core.h"
#include "hazard/call_paths.h"
#include "hazard/core_order.h"
#include "hazard/finding.h"
#include "hazard/reasons.h"
#include "hazard/shadow.h"

namespace twin::hazard {

/// The bytes of an operand that a finding is about.
struct AccessedBytes {
    const ByteRange& range;
    uint64_t begin = 0;
    uint64_t end = 0;
    bool write = false;
};

/// Collects the findings of one core, and the source calls (sites) of its accesses.
class CoreFindings {
public:
    CoreFindings(const CoreId& id, std::shared_ptr<CallLines> lines)
        : id_(id), calls_(std::move(lines)) {}

    const CoreId& Id() const { return id_; }
    const std::vector<Site>& AllSites() const { return sites_.All(); }
    /// Stores the core, which exists until the kernel ends. Findings read buffer names from it.
    void Start(const Core* core) { core_ = core; }
    uint32_t NumberOf(const Site& site) { return sites_.Number(site); }
    Opcode OpcodeOf(const Access& access) const { return sites_[access.site].opcode; }
    void BeginInstruction(const Access& access) {
        conflicts_.clear();
        calls_.Note(access);
    }
    CallPaths& Calls() { return calls_; }
    /// Returns the possible reasons for invalid bytes, which messages name.
    Reasons& Why() { return reasons_; }
    /// Notes that the core has synchronised with other cores. Findings about later conflicts become
    /// tentative, because this synchronisation may order the accesses.
    void Acquire() { acquired_ = true; }

    /// Adds a finding about two unordered accesses. A pair of instructions gets only one finding,
    /// even if the second instruction both reads and writes the bytes of `first`.
    void AddConflict(const Access& first, bool firstWrites, const CurrentAccess& second,
                     uint64_t begin, uint64_t end);
    /// Adds a finding about two accesses, or about `second` alone if `first` is nullptr.
    void Add(const char* code, const char* kind, const Access* first, bool firstWrites,
             const Access& second, const AccessedBytes& bytes);
    void AddUnwritten(const Access& reader, const ByteRange& range, uint64_t begin, uint64_t end) {
        Add("T820", "never written", nullptr, false, reader, {range, begin, end, range.write});
    }
    /// Adds a finding (T821) about an operand in a buffer that FreeTensor has already released.
    void AddFreed(const Location& freed, const CurrentAccess& use);
    void AddFlag(const char* code, const char* kind, const Location* first, const Party& second,
                 const std::string& flag, const std::string& missing, uint64_t sequence);
    /// Counts a finding at one source line. Returns true if this finding is new; then the caller
    /// must describe it by Add().
    bool Note(const char* code, const Location& where, uint64_t sequence) {
        return findings_.Note(code, nullptr, 0, where.file, where.line, sequence);
    }
    void Add(Finding finding) { findings_.Add(std::move(finding)); }

    /// Call it when the core has ended. Removes the callers that messages need not name from the
    /// findings, and writes into the findings what is missing in the kernel.
    void Complete();

    bool HasTentative() const { return !tentative_.empty(); }
    /// Returns and removes the tentative findings since the previous call.
    std::vector<TentativeFinding> TakeTentative() { return std::exchange(tentative_, {}); }
    /// Drops all tentative findings, because other cores may have ordered their accesses.
    void DropTentative() { Drop(tentativeCounts_); }
    /// Subtracts `counts[i]` from the count of finding i, and drops findings whose count becomes 0.
    void Drop(const std::vector<uint64_t>& counts);

    const std::vector<Finding>& All() const { return findings_.All(); }
    bool Incomplete() const { return findings_.Incomplete(); }

private:
    Party PartyOf(const Access& access, bool write) const;
    void Describe(const ByteRange& range, uint64_t begin, Finding* finding) const;
    std::string ReasonOf(const Access* first, const AccessedBytes& bytes,
                         const Finding& finding) const;

    const CoreId id_;
    const Core* core_ = nullptr;
    Sites sites_;
    Findings findings_;
    Reasons reasons_;
    CallPaths calls_;
    std::vector<uint64_t> conflicts_;  ///< earlier accesses that conflict with this instruction
    bool acquired_ = false;
    std::vector<TentativeFinding> tentative_;
    std::vector<uint64_t> tentativeCounts_;  ///< number of tentative conflicts of each finding
};

/// Adds a finding if the access is not ordered after the latest write of the bytes. `end` may be a
/// RunEnd, whose value is computed only if there is a finding.
template <typename End>
void CheckWriter(const Cell& cell, const CurrentAccess& now, uint64_t begin, const End& end,
                 CoreOrder& order, CoreFindings* findings) {
    if (cell.write.Exists() && !order.Before(cell.write, now)) {
        findings->AddConflict(cell.write, true, now, begin, end);
    }
}

/// Checks the reads since the latest write. Each read unordered with the new write is a finding. If
/// there are reads, no finding is about the latest write itself. But the compiler may order the new
/// write after the latest write. Instructions that wait for the new write then also come after the
/// latest write.
template <typename End>
void CheckReaders(const Cell& cell, const CurrentAccess& now, uint64_t begin, const End& end,
                  CoreOrder& order, CoreFindings* findings) {
    if (cell.readers != 0 && cell.write.Exists()) {
        (void)order.Before(cell.write, now);
    }
    for (uint32_t i = 0; i < cell.readers; ++i) {
        if (!order.Before(cell.reads[i], now)) {
            findings->AddConflict(cell.reads[i], false, now, begin, end);
        }
    }
}

}  // namespace twin::hazard
