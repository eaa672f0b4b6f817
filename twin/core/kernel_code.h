// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_KERNEL_CODE_H
#define TWIN_CORE_KERNEL_CODE_H

#include <atomic>
#include <cstdint>
#include <string>

namespace twin {

/// The machine code of one kernel library. A task that is stopped there holds no lock of a library
/// that it has called.
class KernelCode {
public:
    /// The library that holds `symbol`.
    explicit KernelCode(const void* symbol);
    KernelCode(const KernelCode&) = delete;
    KernelCode& operator=(const KernelCode&) = delete;

    bool Contains(uintptr_t address) const { return address >= begin_ && address < end_; }
    /// Takes the right to execute away, so that a task inside a library call faults when it comes
    /// back, and gives it back. Threads that need the code wait in between.
    void Close() const;
    void Open() const;
    bool Closed() const { return closed_.load(std::memory_order_acquire); }

private:
    uintptr_t begin_ = 0;
    uintptr_t end_ = 0;
    mutable std::atomic<bool> closed_{false};
};

/// "" when loading the file runs nothing that can end or stop the process; else a sentence.
/// `mayTakeSeconds` for what its initialisers do.
std::string CheckLibraryFile(const std::string& path, double mayTakeSeconds);

}  // namespace twin

#endif  // TWIN_CORE_KERNEL_CODE_H
