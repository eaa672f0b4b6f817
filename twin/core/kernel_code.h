// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_KERNEL_CODE_H
#define TWIN_CORE_KERNEL_CODE_H

#include <atomic>
#include <cstdint>
#include <string>

#include "core/export.h"

namespace twin {

/// The machine code of a kernel, in one library or in one for each kind of core. A task that is
/// stopped there holds no lock of a library that it has called.
class KernelCode {
public:
    KernelCode() = default;
    KernelCode(const KernelCode&) = delete;
    KernelCode& operator=(const KernelCode&) = delete;

    /// Takes in the library that holds `symbol`.
    void Add(const void* symbol);
    /// It is part of the program, whose other threads run there: it never closes.
    void KeepOpen() { keepOpen_ = true; }
    bool Contains(uintptr_t address) const {
        return ranges_[0].Contains(address) || ranges_[1].Contains(address);
    }
    /// Takes the right to execute away, so that a task inside a library call faults when it comes
    /// back, and gives it back. Threads that need the code wait in between.
    void Close() const;
    void Open() const;
    bool Closed() const { return closed_.load(std::memory_order_acquire); }

private:
    struct Range {
        uintptr_t begin = 0;
        uintptr_t end = 0;
        bool Contains(uintptr_t address) const { return address >= begin && address < end; }
    };
    void Protect(int rights) const;

    Range ranges_[2];
    bool keepOpen_ = false;
    mutable std::atomic<bool> closed_{false};
};

/// "" when the file is a shared object with all its segments; else a sentence. One that is cut
/// short would end the process that loads it.
TWIN_API std::string CheckLibraryComplete(const std::string& path);
/// "" when, besides, loading the file runs nothing that can end or stop the process; else a
/// sentence. `mayTakeSeconds` for what its initialisers do.
TWIN_API std::string CheckLibraryFile(const std::string& path, double mayTakeSeconds);

}  // namespace twin

#endif  // TWIN_CORE_KERNEL_CODE_H
