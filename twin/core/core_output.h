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
        uint64_t bytes = 0;   ///< number of bytes that the core has written, printed or not
        bool inLine = false;  ///< the last byte of the core is not a line end
    };

    std::mutex mutex_;
    std::map<uint32_t, Part> parts_;  ///< output of cores that have not ended
    uint32_t open_ = 0;               ///< the core that prints at once
};

/// Prints for the core that runs on this thread; outside a kernel, to standard output.
TWIN_API void PrintFromCore(const char* text, size_t bytes);

/// The fault that a contained piece of work met.
struct MemoryFault {
    const void* address = nullptr;  ///< address that does not exist, or must not be written
    int signal = 0;
};

/// Runs `work(argument)`, which only reads and writes memory that may no longer exist (a file that
/// was cut, an array that was unmapped). Returns whether it ran to its end. It must hold nothing
/// that a sudden end would leave behind: no lock, no allocation.
TWIN_API bool RunContained(void (*work)(void*), void* argument, MemoryFault* fault) noexcept;

template <typename Work>
bool Contained(Work&& work, MemoryFault* fault) noexcept {
    using Plain = std::remove_reference_t<Work>;
    return RunContained([](void* argument) { (*static_cast<Plain*>(argument))(); },
                        const_cast<void*>(static_cast<const void*>(&work)), fault);
}

/// Foreign code on the caller's thread (tiling) may also end with other faults than those of
/// memory. Returns a description: "a division by zero or the like (SIGFPE)". Memory that it had
/// allocated stays allocated.
TWIN_API std::string DescribeSignal(const MemoryFault& fault);

/// Installs the handlers as after every launch, for code that contains foreign code.
TWIN_API void WatchFaults();

/// "T501 segmentation fault: <what> met host address 0x..., which is not there"
TWIN_API std::string Describe(const MemoryFault& fault, const std::string& what);

/// For the signal handler: leaves the contained work of this thread, if there is any.
void LeaveContained(int signal, const void* address);

}  // namespace twin
