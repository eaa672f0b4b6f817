// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_SHARED_COSTS_H
#define TWIN_TIMING_SHARED_COSTS_H

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "timing/program.h"

namespace twin::timing {

/// What the instructions of a launch cost. Its cores issue much the same ones; each is worked out
/// once.
class SharedCosts {
public:
    struct Cost {
        Operation operation;
        Basis basis = Basis::Table;
        uint32_t number = 0;  ///< among the different ones, in no order
    };
    /// Of `instruction`, which `words` describe, and `hash` of them.
    Cost Of(const Instruction& instruction, uint64_t hash, const uint64_t* words, size_t count);

private:
    struct Known {
        std::vector<uint64_t> words;
        Cost cost;
    };
    std::mutex mutex_;
    std::unordered_multimap<uint64_t, Known> known_;
};

}  // namespace twin::timing

#endif  // TWIN_TIMING_SHARED_COSTS_H
