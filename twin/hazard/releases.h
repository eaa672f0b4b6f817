// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "core/instruction.h"
#include "hazard/knowledge.h"

namespace twin::hazard {

/// The objects that cores meet at (CoreSync): who has released them, and who waits for that.
class Releases {
public:
    /// Gives back the cores that have waited for it.
    std::vector<uint32_t> Add(const CoreSync& sync, Told told);
    /// What the releases tell that a core waits for, which has released the object so often itself;
    /// nullptr: one is missing, the core is noted as waiting. `nothing` where none is waited for.
    Known Take(const CoreSync& sync, uint32_t core, const Known& nothing);

private:
    struct Member {
        std::deque<Told> told;
        uint64_t forgotten = 0;  ///< releases before those
        std::vector<uint32_t> waiting;
    };
    /// Releases that several cores wait for.
    struct Round {
        uint32_t first = 0;
        uint32_t count = 0;
        uint64_t number = 0;
        Known known;
        uint32_t taken = 0;  ///< by so many
    };
    struct Object {
        std::vector<Member> members;
        std::unordered_map<uint32_t, uint32_t> releases;  ///< by core
        uint32_t taken = 0;                               ///< that somebody has waited for
        Round latest;
    };

    /// Which one is waited for; -1: none.
    static int64_t RoundOf(Object& object, const CoreSync& sync, uint32_t core);
    static Known Join(Object& object, const CoreSync& sync, uint64_t round);
    static void Forget(Object& object, const CoreSync& sync, uint64_t round);

    std::unordered_map<uint64_t, Object> objects_;
};

}  // namespace twin::hazard
