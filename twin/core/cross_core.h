// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/types.h"

namespace twin {

/// The address of the flags between cores, as aclrtGetHardwareSyncAddr gives it. The twin's flags
/// are in no memory, so this is only a number that no allocation has.
constexpr uint64_t kHardwareSyncAddress = 0xFFF0'0000'0000;

/// The cores of a block: at most one cube core, which comes first, and up to two vector cores.
struct BlockShape {
    uint32_t aic = 0;
    uint32_t aiv = 1;

    uint32_t Cores() const { return aic + aiv; }
    CoreKind KindOf(uint32_t core) const {
        return core % Cores() < aic ? CoreKind::Aic : CoreKind::Aiv;
    }
    uint32_t SubBlockOf(uint32_t core) const {
        const uint32_t member = core % Cores();
        return member < aic ? 0 : member - aic;
    }
    uint32_t BlockOf(uint32_t core) const { return core / Cores(); }
};

/// Flags of CrossCoreSetFlag and CrossCoreWaitFlag, guarded by the launch's lock. Every core has a
/// counter for each flag id. The mode of CrossCoreSetFlag decides which cores' counters increase.
class CrossCoreFlags {
public:
    static constexpr uint32_t kFlags = 16;
    static constexpr uint32_t kMaxPending = 15;  ///< the hardware counter has four bits

    void Resize(BlockShape shape, uint32_t blocks);
    /// Sets `flag` on `core`. Returns how many sets of this core may be pending: sets for which a
    /// receiver may not have waited yet. A core learns about waits only from flags that the core
    /// receives, so the number is the same on every run.
    uint32_t Set(uint32_t core, uint32_t mode, uint32_t flag);
    bool CanPass(uint32_t core, uint32_t flag) const {
        return !cores_.empty() && cores_[core].counter[flag] != 0;
    }
    /// Subtracts one from the counter of `flag` on `core`, which must not be 0.
    void Pass(uint32_t core, uint32_t flag);
    struct Missing {
        uint32_t mode;
        std::vector<uint32_t> cores;
    };
    /// Returns, for each mode, the cores that must set `flag` so that the waiting `core` can go on.
    /// These are the cores that have set the flag least often. If no core has set the flag,
    /// returns the cores that can set it in mode 2, or in mode 0 if all cores are of one kind.
    std::vector<Missing> MissingSets(uint32_t core, uint32_t flag) const;
    /// Called at a barrier of all cube cores (`aic`), all vector cores (`aiv`), or all cores. In
    /// each block, the cores at the barrier exchange the numbers of waits that they know.
    void Meet(bool aic, bool aiv);

private:
    static constexpr uint32_t kMembers = 3;
    /// The numbers of waits that a core knows, indexed by core of its block and by flag id.
    using Knowledge = std::array<std::array<uint32_t, kFlags>, kMembers>;
    struct CoreState {
        std::array<uint32_t, kFlags> counter = {};
        std::array<uint32_t, kFlags> sets[3] = {};  ///< number of sets by mode and flag id
        Knowledge known = {};
        std::deque<Knowledge> sent[3][kFlags];  ///< copy of `known` for each set not yet received
        std::deque<Knowledge> received[kFlags];
    };

    /// Finds the cores that must all set a flag (setters), and the cores that receive the flag.
    void Participants(uint32_t core, uint32_t mode, std::vector<uint32_t>* setters,
                      std::vector<uint32_t>* receivers) const;
    /// Returns the cores that must all set a flag in this mode, so that `core` receives the flag.
    std::vector<uint32_t> SettersFor(uint32_t core, uint32_t mode) const;
    static void Merge(const Knowledge& from, Knowledge* into);

    /// Creates the states of the cores at the first set, because most launches use no flag.
    void Prepare();

    BlockShape shape_;
    uint32_t coreCount_ = 0;
    std::vector<CoreState> cores_;
};

}  // namespace twin
