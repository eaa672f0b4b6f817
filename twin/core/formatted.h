// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdarg>
#include <string>

#include "core/export.h"

namespace twin {

/// Appends the text that vprintf would print, of any length, and returns the length of this text.
/// If the format is invalid, appends nothing and returns a negative number.
TWIN_API int AppendFormatted(std::string* out, const char* format, va_list arguments);
/// Returns the text that vprintf would print; empty if the format is invalid.
TWIN_API std::string Formatted(const char* format, va_list arguments);

}  // namespace twin
