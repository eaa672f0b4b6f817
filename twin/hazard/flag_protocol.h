// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/core.h"
#include "core/cross_core.h"
#include "hazard/core_findings.h"

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

    const CrossFlagUse& CrossUse(uint32_t flag) const { return crossUses_[flag]; }

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
    CrossFlagUse crossUses_[CrossCoreFlags::kFlags];
    std::deque<Clock> ownSets_[CrossCoreFlags::kFlags];  ///< own sets not waited for
};

/// The flags of one core of a launch.
struct CoreFlags {
    CoreId core;
    const FlagProtocol* flags = nullptr;  ///< nullptr: the core has issued no instruction
};

/// Finds flags between cores that a launch leaves behind: counters above 0, and sets of too few
/// cores for an event. `cores` has all cores of the launch.
void FindLeftFlags(BlockShape shape, std::vector<CoreFlags> cores, Findings* found);

}  // namespace twin::hazard
