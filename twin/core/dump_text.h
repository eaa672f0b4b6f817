// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/instruction.h"
#include "core/observer.h"
#include "core/range_value.h"

namespace twin {

/// Appends the line that a dump has for an instruction, as text or as JSON. `values` has one value
/// for each range of the instruction; nullptr: the line has no values.
void AddDumpText(const Instruction& i, const RangeValue* values, const LaunchInfo& info,
                 std::string* out);
void AddDumpJson(const Instruction& i, const RangeValue* values, const LaunchInfo& info,
                 std::string* out);

}  // namespace twin
