// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/core.h"
#include "core/gm.h"
#include "core/instruction.h"
#include "hazard/core_findings.h"

namespace twin::hazard {

class CubeMemories;
class LocalMemory;
class Taint;

/// One bit for each byte of a range of memory. All bits are 0 at first. Several threads may use an
/// object at once.
class SharedBits {
public:
    explicit SharedBits(uint64_t bits);
    void Set(uint64_t begin, uint64_t end);
    /// Returns the index of the first bit in [begin, end) with this value; `end` if there is none.
    uint64_t Find(bool value, uint64_t begin, uint64_t end) const;

private:
    using Word = std::atomic<uint64_t>;
    struct Free {
        void operator()(Word* words) const { std::free(words); }
    };
    std::unique_ptr<Word, Free> words_;
};

/// The user workspaces of a launch. Stores which of their bytes an instruction of any core has
/// written. When the launch begins, no byte counts as written.
class Workspaces {
public:
    struct Workspace {
        explicit Workspace(const GmRange& range)
            : range(range), written(range.bytes), added(range.bytes) {}

        GmRange range;
        SharedBits written;
        /// Bytes that nothing had written when an atomic copy added to them.
        SharedBits added;
    };

    explicit Workspaces(const std::vector<GmRange>& gm);
    bool Any() const { return !all_.empty(); }
    /// Returns the workspace that contains the address; nullptr if there is none.
    Workspace* AtHost(uintptr_t address);
    Workspace* AtDevice(uint64_t address);

private:
    std::vector<std::unique_ptr<Workspace>> all_;
};

/// Finds reads by one core of workspace bytes that nothing has written. Bytes that are copied to UB
/// or L1 are reported only if they are used as data (Taint, CubeMemories). Writes through a raw
/// pointer are not recorded. So words that differ from the fill count as written.
class WorkspaceReads {
public:
    /// The core, what the checker tracks about the core's local memories, and the core's findings.
    struct Local {
        const Core& core;
        LocalMemory& memory;
        Taint& taint;
        CubeMemories& cube;
        CoreFindings& findings;
    };

    explicit WorkspaceReads(Workspaces* workspaces) : workspaces_(*workspaces) {}

    /// Call it before an instruction has its effect. Finds the bytes to which an atomic copy adds.
    void Before(const Instruction& next) {
        if (next.atomic != AtomicOp::None && workspaces_.Any()) {
            FindAdded(next);
        }
    }
    /// Call it after LocalMemory has noted the writes of the instruction. `polls` is true if the
    /// scalar unit reads a word that another core may write at the same time.
    void After(const Instruction& i, const Access& access, bool polls, const Local& local) {
        if (workspaces_.Any()) {
            CheckAll(i, access, polls, local);
        }
    }

private:
    struct Bytes {
        uint64_t begin;  ///< device address
        uint64_t end;
    };

    void FindAdded(const Instruction& next);
    void CheckAll(const Instruction& i, const Access& access, bool polls, const Local& local);
    static void CheckScalar(uint64_t value, const CurrentAccess& now,
                            const Workspaces::Workspace& from, const Local& local);
    static void CheckCopy(const CurrentAccess& now, const Workspaces::Workspace& from,
                          const Local& local);

    Workspaces& workspaces_;
    std::vector<Bytes> added_;  ///< unwritten bytes to which the current instruction adds
};

}  // namespace twin::hazard
