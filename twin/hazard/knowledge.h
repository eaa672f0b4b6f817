// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hazard/clocks.h"

namespace twin::hazard {

/// What a core has seen end on every core. Cores that have met share it.
using Knowledge = std::vector<Clock>;
using Known = std::shared_ptr<const Knowledge>;

/// What a core tells others: what it knew of all, and what has ended on itself.
struct Told {
    Known knew;
    uint32_t core = 0;
    Clock ended;
};

/// What somebody knows who was told all of it; `all` is not empty.
Known Joined(const std::vector<Told>& all);
/// What somebody knows who knows both: one of them, where it holds the other one.
Known Joined(const Known& one, const Known& other);

}  // namespace twin::hazard
