// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_PROFILE_OPERATIONS_H
#define TWIN_TIMING_PROFILE_OPERATIONS_H

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "timing/core_clock.h"
#include "timing/program.h"

namespace twin::timing {

/// `"name": value`
std::string Field(const char* name, uint64_t value);

/// The operations of all cores of a profile, each once: those that are named alike.
class Operations {
public:
    /// For each operation of `program` its number among all.
    std::vector<uint32_t> Add(const Program& program);
    void Count(uint32_t number, const Row& row, const Operation& operation);
    std::string Json() const;

private:
    struct Sum {
        std::string fields;  ///< what names it
        uint64_t count = 0, busy = 0, ticks = 0, conflicts = 0, work = 0;
    };

    std::unordered_map<std::string, uint32_t> numbers_;  ///< by what names them
    std::unordered_map<uint32_t, uint32_t> known_;       ///< by what the cores share, quicker
    std::vector<Sum> list_;
};

}  // namespace twin::timing

#endif  // TWIN_TIMING_PROFILE_OPERATIONS_H
