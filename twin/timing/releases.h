// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/instruction.h"
#include "timing/event_queue.h"

namespace twin::timing {

/// Messages of cores through global memory: which core has released what at which time, and which
/// core waits.
class Releases {
public:
    /// A core that can go on; the release for which it waited was there at `when`.
    struct Granted {
        uint32_t core;
        Ticks when;
    };

    /// `core` releases at `when`; the cores that waited only for this are added to `granted`.
    void Add(uint32_t core, const CoreSync& sync, Ticks when, std::vector<Granted>* granted);
    /// `core` waits for what `sync` says, from `when` on.
    void Await(uint32_t core, const CoreSync& sync, Ticks when, std::vector<Granted>* granted);

private:
    struct Wait {
        uint32_t core;
        uint32_t first, count;  ///< members for which it waits
        uint64_t round;
        uint32_t missing;
        Ticks latest;
    };
    using Place = std::pair<uint64_t, uint32_t>;  ///< an object, and a member or a core

    /// The number of the awaited release of each member; negative: none.
    int64_t RoundOf(uint32_t core, const CoreSync& sync);

    std::map<Place, std::vector<Ticks>> times_;  ///< indexed by object and member
    std::map<Place, uint32_t> own_;              ///< number of releases, by object and core
    std::map<uint64_t, uint32_t>
        taken_;  ///< number of taken releases of an object, one after the other
    std::map<uint64_t, std::vector<Wait>> waits_;  ///< indexed by object
};

}  // namespace twin::timing
