// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_KERNEL_CODE_H
#define TWIN_CORE_KERNEL_CODE_H

#include <atomic>
#include <cstdint>
#include <string>

#include "core/export.h"

namespace twin {

/// The machine code of a kernel, in one library or in one for each kind of core. A task that is
/// stopped in this code holds no lock of a library that it has called.
class KernelCode {
public:
    KernelCode() = default;
    KernelCode(const KernelCode&) = delete;
    KernelCode& operator=(const KernelCode&) = delete;

    /// Adds the library that contains `symbol`.
    void Add(const void* symbol);
    /// The code is part of the program, whose other threads run in it, so it is never closed.
    void KeepOpen() { keepOpen_ = true; }
    bool Contains(uintptr_t address) const {
        return ranges_[0].Contains(address) || ranges_[1].Contains(address);
    }
    /// Close removes the right to execute, so that a task inside a library call faults when it
    /// returns; Open restores it. Threads that need the code wait in between.
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

/// Returns "" if the file is a shared object with all its segments; otherwise a sentence. A file
/// that is cut short would end the process that loads it.
TWIN_API std::string CheckLibraryComplete(const std::string& path);
/// Returns "" if, in addition, loading the file runs nothing that can end or stop the process;
/// otherwise a sentence. Its initialisers may take `mayTakeSeconds`.
TWIN_API std::string CheckLibraryFile(const std::string& path, double mayTakeSeconds);

}  // namespace twin

#endif  // TWIN_CORE_KERNEL_CODE_H
