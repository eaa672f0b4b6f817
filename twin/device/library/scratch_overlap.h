// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/instruction.h"

namespace twin::advanced {

/// A part of UB.
struct UbSpan {
    uint64_t begin = 0, end = 0;
};

/// Returns true if the steps of a library call may write scratch over bytes of `source` that later
/// steps, or later repeats of the same step, still read. `scratch` is the part of UB that the call
/// uses as scratch, and overlaps `source`. `call` has the operands without the scratch.
bool SpoilsSource(Instruction call, const UbSpan& scratch, const UbSpan& source);

}  // namespace twin::advanced
