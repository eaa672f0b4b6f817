// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "timing/core_clock.h"
#include "timing/program.h"

namespace twin::timing {

/// Returns the text `"name": value`.
std::string Field(const char* name, uint64_t value);

/// The operations of a profile. Operations with the same name are one; the order is that in which
/// the cores, one after another, run them.
class Operations {
public:
    explicit Operations(const OperationTable& table)
        : table_(table), known_(table.operations.size(), kNone) {}

    /// Counts the rows of a core, and replaces the numbers of their operations by those of the
    /// profile.
    void Take(std::vector<Row>& rows);
    std::string Json() const;

private:
    struct Sum {
        std::string fields;  ///< fields of the name of the operation
        uint64_t count = 0, busy = 0, ticks = 0, conflicts = 0, work = 0;
    };
    static constexpr uint32_t kNone = UINT32_MAX;

    uint32_t Add(uint32_t operation);

    const OperationTable& table_;
    std::vector<uint32_t> known_;                        ///< indexed by the number in the table
    std::unordered_map<std::string, uint32_t> numbers_;  ///< indexed by the fields of the name
    std::vector<Sum> list_;
};

}  // namespace twin::timing
