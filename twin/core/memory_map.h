// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_MEMORY_MAP_H
#define TWIN_CORE_MEMORY_MAP_H

#include <memory>
#include <string>

#include "core/core.h"
#include "core/observer.h"

namespace twin {

/// Writes one JSON line per launch: which buffers the local memories of its cores held, and which
/// bytes instructions touched. Cores with the same buffers are told together.
std::unique_ptr<Observer> MakeMapObserver(const std::string& path);

/// Two lines for a message, each behind a line break. It owns nothing: destructors are skipped when
/// a task fails.
struct Drawing {
    char text[320];
};

/// Who owns the memory around an access, and the access below it: '=' where it may be and '!' where
/// it may not. `good`: its first bytes, which are in order.
TWIN_API Drawing DrawAccess(const Core& core, Memory memory, uint64_t begin, uint64_t bytes,
                            uint64_t good);

}  // namespace twin

#endif  // TWIN_CORE_MEMORY_MAP_H
