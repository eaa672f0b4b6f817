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

/// CrossCoreSetFlag and CrossCoreWaitFlag of a launch. Every core has a counter per flag id; the
/// mode decides which sets raise which counter. Guarded by the launch's lock.
class CrossCoreFlags {
public:
    static constexpr uint32_t kFlags = 16;
    static constexpr uint32_t kMaxPending = 15;  ///< the hardware counter has four bits

    void Resize(BlockShape shape, uint32_t blocks);
    /// Sets `flag` on `core`. Returns the number of its sets for which, as far as the setter knows
    /// from flags that came back, a receiver may not have waited yet. This number is the same on
    /// every run.
    uint32_t Set(uint32_t core, uint32_t mode, uint32_t flag);
    bool CanPass(uint32_t core, uint32_t flag) const {
        return !cores_.empty() && cores_[core].counter[flag] != 0;
    }
    /// Subtracts one from the counter, which is not 0.
    void Pass(uint32_t core, uint32_t flag);
    struct Missing {
        uint32_t mode;
        std::vector<uint32_t> cores;
    };
    /// Returns the cores whose sets would raise the counter of `flag` on `core`, which is 0: the
    /// cores that are behind others in the modes that were used; without any set, those in the
    /// usual mode of this kind of core.
    std::vector<Missing> MissingSets(uint32_t core, uint32_t flag) const;
    /// Notes a barrier of all cores of these kinds, after which each core knows how far the others
    /// of its block are.
    void Meet(bool aic, bool aiv);

private:
    static constexpr uint32_t kMembers = 3;
    /// The number of waits of each member of the block, by flag id.
    using Knowledge = std::array<std::array<uint32_t, kFlags>, kMembers>;
    struct CoreState {
        std::array<uint32_t, kFlags> counter = {};
        std::array<uint32_t, kFlags> sets[3] = {};  ///< number of sets by mode and flag id
        Knowledge known = {};
        std::deque<Knowledge> sent[3][kFlags];  ///< sets that wait for the other participants
        std::deque<Knowledge> received[kFlags];
    };

    /// Finds the cores whose sets together make one event, and the cores that receive it.
    void Participants(uint32_t core, uint32_t mode, std::vector<uint32_t>* setters,
                      std::vector<uint32_t>* receivers) const;
    /// Returns the cores whose sets `core` receives in a mode.
    std::vector<uint32_t> SettersFor(uint32_t core, uint32_t mode) const;
    static void Merge(const Knowledge& from, Knowledge* into);

    /// Most launches use no flag, so the states are made when the first flag is set.
    void Prepare();

    BlockShape shape_;
    uint32_t coreCount_ = 0;
    std::vector<CoreState> cores_;
};

}  // namespace twin
