// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/observer.h"

namespace twin {

/// Returns an observer that appends one line of JSON to the file `path` at the end of a launch. The
/// line has an entry for each range of global memory that instructions wrote to. An entry has the
/// written bytes, the bytes that were written without atomics, and the bytes that several cores
/// wrote without atomics.
std::unique_ptr<Observer> MakeCoverageObserver(const std::string& path);

}  // namespace twin
