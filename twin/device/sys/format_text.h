// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "device/sys/format.h"

namespace twin {

/// Returns the text that printf would print. The caller must not hold a lock, because an invalid
/// pointer among the arguments ends the kernel.
std::string FormattedText(const char* format, PrintValues values);

/// Returns a text of at most `most` bytes unchanged. Cuts a longer text after `most` bytes, and
/// appends a note about the cut.
std::string CutText(std::string text, size_t most);

}  // namespace twin
