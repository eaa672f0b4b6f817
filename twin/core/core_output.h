// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>

#include "core/types.h"

namespace twin {

class Core;

/// Prints the output of a launch's cores one core after the other, each under a line that names the
/// core, so that the output does not depend on the schedule. The lowest core that has not ended
/// prints without delay; the output of higher cores waits.
class CoreOutput {
public:
    void Write(const Core& core, const char* text, size_t bytes);
    /// Prints the waiting output of all cores below `core`. `core` now prints without delay.
    void Advance(uint32_t core);
    /// Prints the output that still waits at the end of the launch.
    void Flush() { Advance(UINT32_MAX); }
    /// Returns whether a core has printed. Call after the launch.
    bool Printed() const { return printed_; }

private:
    struct Part {
        std::string waiting;
        uint64_t bytes = 0;   ///< number of bytes that the core has written in total
        bool inLine = false;  ///< the last byte of the core's output is not a newline
    };

    std::mutex mutex_;
    std::map<uint32_t, Part> parts_;  ///< output of the cores from `open_` on
    bool printed_ = false;
    uint32_t open_ = 0;  ///< the core that prints without delay
};

/// Prints text of the core that runs on this thread. Outside a kernel, prints it at once.
TWIN_API void PrintFromCore(const char* text, size_t bytes);

/// The fault that has ended a function called by RunContained.
struct MemoryFault {
    const void* address = nullptr;  ///< address that does not exist, or must not be written
    int signal = 0;
};

/// Runs `work(argument)`, which accesses memory that may no longer exist (a truncated file, an
/// unmapped array). Returns false if a fault has ended `work`. `work` must take no lock and
/// allocate nothing, because nothing is cleaned up after a fault.
TWIN_API bool RunContained(void (*work)(void*), void* argument, MemoryFault* fault) noexcept;

template <typename Work>
bool Contained(Work&& work, MemoryFault* fault) noexcept {
    using Plain = std::remove_reference_t<Work>;
    return RunContained([](void* argument) { (*static_cast<Plain*>(argument))(); },
                        const_cast<void*>(static_cast<const void*>(&work)), fault);
}

/// Returns a text for a fault of foreign code (such as a tiling function) in RunContained, for
/// example "a division by zero or the like (SIGFPE)". Memory that the code has allocated leaks.
TWIN_API std::string DescribeSignal(const MemoryFault& fault);

/// Installs the fault handlers, as every launch does. Call this before foreign code runs.
TWIN_API void WatchFaults();

/// Returns "T501 segmentation fault: <what> met host address 0x..., which is not there ...".
TWIN_API std::string Describe(const MemoryFault& fault, const std::string& what);

/// Called by the signal handler: ends the innermost RunContained of this thread, if there is one.
void LeaveContained(int signal, const void* address);

}  // namespace twin
