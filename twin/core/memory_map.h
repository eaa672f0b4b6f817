// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/core.h"
#include "core/observer.h"

namespace twin {

/// Returns an observer that writes one JSON line per launch: the buffers in the local memories of
/// its cores, and the bytes that instructions touched. Cores with the same buffers share one entry.
std::unique_ptr<Observer> MakeMapObserver(const std::string& path);

/// Two lines for an error message, each after a line break. The object allocates nothing, because
/// no destructor runs when a task fails.
struct Drawing {
    char text[320];
};

/// Draws the buffers around an access, and below them the access: '=' for allowed bytes and '!' for
/// other bytes. `good` is the number of allowed bytes at the start of the access.
TWIN_API Drawing DrawAccess(const Core& core, Memory memory, uint64_t begin, uint64_t bytes,
                            uint64_t good);

}  // namespace twin
