// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_CONTAIN_H
#define TWIN_CORE_CONTAIN_H

#include <string>
#include <type_traits>

#include "core/export.h"

namespace twin {

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

#endif  // TWIN_CORE_CONTAIN_H
