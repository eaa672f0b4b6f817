// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/cross_core.h"
#include "hazard/core_checker.h"
#include "hazard/finding.h"

namespace twin::hazard {

/// Flags between cores that a launch leaves behind: counters above 0, sets without those that they
/// would have made an event with. `cores`: all of the launch, nullptr for one that did nothing.
void FindLeftFlags(BlockShape shape, const std::vector<const CoreChecker*>& cores, Findings* found);

}  // namespace twin::hazard
