// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_ARGUMENT_SPELLING_H
#define TWIN_HOST_ARGUMENT_SPELLING_H

#include <cstddef>
#include <string>
#include <vector>

namespace twin::host {

/// Finds the names of arguments for errors, from the text of a call: "x, (uint8_t*)(tiling),
/// nullptr". The name is the converted expression, or else the position of the argument, from 0.
std::vector<std::string> SpelledNames(const std::string& arguments, size_t count);

}  // namespace twin::host

#endif  // TWIN_HOST_ARGUMENT_SPELLING_H
