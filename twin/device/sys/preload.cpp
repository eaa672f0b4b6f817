// SPDX-License-Identifier: Apache-2.0
#include "device/sys/preload.h"

#include <cinttypes>

#include "device/issue/issue.h"

namespace twin {

void PreloadInstructions(int64_t length, Location where) {
    constexpr int64_t kUnits = 8;  // units of 2 KiB: the instruction cache of a vector core
    Issue issue("ICachePreLoad", Pipe::S, where);
    if (issue.core().strict && (length < 0 || length >= kUnits)) {
        Fail("T402",
             "length out of range: ICachePreLoad(%" PRId64 "), expected 0 to %" PRId64
             " units of 2 KiB (the instruction cache has 16 KiB)",
             length, kUnits - 1);
    }
    issue.Done();
}

}  // namespace twin
