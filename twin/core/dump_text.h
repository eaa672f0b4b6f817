// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/instruction.h"
#include "core/observer.h"
#include "core/range_value.h"

namespace twin {

/// Appends the line of an instruction in a dump, as text or as JSON. `values` has the value of each
/// range, or is nullptr.
void AddDumpText(const Instruction& i, const RangeValue* values, const LaunchInfo& info,
                 std::string* out);
void AddDumpJson(const Instruction& i, const RangeValue* values, const LaunchInfo& info,
                 std::string* out);

}  // namespace twin
