// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/observer.h"

namespace twin {

/// Returns an observer that writes one JSON line per launch: for each range of global memory that
/// instructions wrote to, the written bytes, and the bytes that several cores wrote without
/// atomics.
std::unique_ptr<Observer> MakeCoverageObserver(const std::string& path);

}  // namespace twin
