// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/types.h"

namespace twin {

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

/// Flags of CrossCoreSetFlag and CrossCoreWaitFlag in a launch. Every core has a counter for each
/// flag id; the mode of a set decides whose counters it raises. Guarded by the launch's lock.
class CrossCoreFlags {
public:
    static constexpr uint32_t kFlags = 16;
    static constexpr uint32_t kMaxPending = 15;  ///< the hardware counter has four bits

    void Resize(BlockShape shape, uint32_t blocks);
    /// Sets `flag` on `core`. Returns the number of this core's sets for which a receiver may not
    /// have waited yet. The core learns about waits only by flags for which it waits itself, so the
    /// number is the same on every run.
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
    /// Returns, for each mode, the cores that must set `flag` so that `core`, which waits for it,
    /// can go on. These are the cores with the fewest sets in the modes that were used. If there
    /// was no set at all, these are the setters in the usual mode.
    std::vector<Missing> MissingSets(uint32_t core, uint32_t flag) const;
    /// Notes a barrier of all cores of these kinds. After it, the cores of each block know each
    /// other's waits.
    void Meet(bool aic, bool aiv);

private:
    static constexpr uint32_t kMembers = 3;
    /// The number of waits of each member of the block, by flag id.
    using Knowledge = std::array<std::array<uint32_t, kFlags>, kMembers>;
    struct CoreState {
        std::array<uint32_t, kFlags> counter = {};
        std::array<uint32_t, kFlags> sets[3] = {};  ///< number of sets by mode and flag id
        Knowledge known = {};
        std::deque<Knowledge> sent[3][kFlags];  ///< sets that wait for sets by the other setters
        std::deque<Knowledge> received[kFlags];
    };

    /// Finds the cores that must all set a flag, and the cores whose counters these sets raise.
    void Participants(uint32_t core, uint32_t mode, std::vector<uint32_t>* setters,
                      std::vector<uint32_t>* receivers) const;
    /// Returns the cores whose sets `core` receives in a mode.
    std::vector<uint32_t> SettersFor(uint32_t core, uint32_t mode) const;
    static void Merge(const Knowledge& from, Knowledge* into);

    /// Creates the states of the cores at the first set, because most launches use no flag.
    void Prepare();

    BlockShape shape_;
    uint32_t coreCount_ = 0;
    std::vector<CoreState> cores_;
};

}  // namespace twin
