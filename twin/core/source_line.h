// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/types.h"

namespace twin {

/// A program or library of this process.
struct LoadedFile {
    std::string path;
    uintptr_t offset = 0;  ///< difference between addresses in the process and in the file
};

/// Returns the program or library that contains the address.
LoadedFile FileOf(const void* address);

/// Returns the source line of an instruction. If the compiler has inlined calls at the instruction,
/// the lines of these calls follow, innermost first. The result is empty if no line is known.
std::vector<Location> SourceLinesOf(const void* instruction);

/// Returns the source line of an instruction, as the debug information of its program or library
/// says. The line is 0 if nothing is known.
Location SourceLineOf(const void* instruction);

}  // namespace twin
