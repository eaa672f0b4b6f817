// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_ARGUMENT_SPELLING_H
#define TWIN_HOST_ARGUMENT_SPELLING_H

#include <cstddef>
#include <string>
#include <vector>

namespace twin::host {

/// How errors call the arguments of a call that is spelled "x, (uint8_t*)(tiling), nullptr": by
/// what is converted, else by its place, from 0.
std::vector<std::string> SpelledNames(const std::string& arguments, size_t count);

}  // namespace twin::host

#endif  // TWIN_HOST_ARGUMENT_SPELLING_H
