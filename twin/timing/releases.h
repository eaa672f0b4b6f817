// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_RELEASES_H
#define TWIN_TIMING_RELEASES_H

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/instruction.h"
#include "timing/ticks.h"

namespace twin::timing {

/// What cores tell each other through global memory: who has released what when, and who waits.
class Releases {
public:
    /// A core that can go on, and what it had to wait for was there at `when`.
    struct Granted {
        uint32_t core;
        Ticks when;
    };

    /// `core` releases at `when`; whoever has waited for that alone comes into `granted`.
    void Add(uint32_t core, const CoreSync& sync, Ticks when, std::vector<Granted>* granted);
    /// `core` waits for what `sync` says, from `when` on.
    void Await(uint32_t core, const CoreSync& sync, Ticks when, std::vector<Granted>* granted);

private:
    struct Wait {
        uint32_t core;
        uint32_t first, count;  ///< members that it waits for
        uint64_t round;
        uint32_t missing;
        Ticks latest;
    };
    using Place = std::pair<uint64_t, uint32_t>;  ///< an object, and a member or a core

    /// Which release of each member is waited for; negative: none.
    int64_t RoundOf(uint32_t core, const CoreSync& sync);

    std::map<Place, std::vector<Ticks>> times_;    ///< by object and member
    std::map<Place, uint32_t> own_;                ///< releases, by object and core
    std::map<uint64_t, uint32_t> taken_;           ///< of an object, one after the other
    std::map<uint64_t, std::vector<Wait>> waits_;  ///< by object
};

}  // namespace twin::timing

#endif  // TWIN_TIMING_RELEASES_H
