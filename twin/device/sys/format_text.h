// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "device/sys/format.h"

namespace twin {

/// Returns the text that printf would print. The caller must not hold a lock, because an invalid
/// pointer among the arguments ends the kernel.
std::string FormattedText(const char* format, PrintValues values);

/// Returns the first `most` bytes of a text; a longer text gets a mark at its end.
std::string CutText(std::string text, size_t most);

}  // namespace twin
