// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/observer.h"

namespace twin {

/// Returns an observer that writes the instructions of a launch to a file. It also writes the first
/// `firstElements` elements of each operand, or no values if this number is -1. Throws
/// std::runtime_error if the file cannot be opened.
std::unique_ptr<Observer> MakeDumpObserver(const std::string& path, int32_t firstElements);

}  // namespace twin
