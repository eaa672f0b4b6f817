// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_CORE_OUTPUT_H
#define TWIN_CORE_CORE_OUTPUT_H

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "core/export.h"

namespace twin {

class Core;

/// The output of the cores of a launch: core after core, each in program order under a line that
/// names the core, whatever the schedule. The lowest core that has not ended prints at once, the
/// others wait.
class CoreOutput {
public:
    void Write(const Core& core, const char* text, size_t bytes);
    /// Call this when all cores below `core` have ended.
    void Advance(uint32_t core);
    /// Call this at the end of the launch.
    void Flush() { Advance(UINT32_MAX); }

private:
    struct Part {
        std::string waiting;
        uint64_t bytes = 0;   ///< bytes of the core, printed or not
        bool inLine = false;  ///< the last byte is not a line end
    };

    std::mutex mutex_;
    std::map<uint32_t, Part> parts_;  ///< output of cores that have not ended
    uint32_t open_ = 0;               ///< the core that prints at once
};

/// Prints for the core that runs on this thread; outside a kernel, to standard output.
TWIN_API void PrintFromCore(const char* text, size_t bytes);

}  // namespace twin

#endif  // TWIN_CORE_CORE_OUTPUT_H
