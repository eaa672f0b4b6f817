// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/line_table.h"

namespace twin {

/// A line of source code that calls an inlined function.
struct InlinedCall {
    std::string file;
    uint32_t line = 0;
};

/// Returns the calls that the compiler has inlined at an address of a program or library, innermost
/// first. Reads only DWARF 4, with which kernels are compiled; for other versions, the result is
/// empty.
std::vector<InlinedCall> InlinedCallsAt(const std::string& path, const DebugSections& lines,
                                        uint64_t address);

}  // namespace twin
