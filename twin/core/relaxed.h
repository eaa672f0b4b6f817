// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace twin {

/// A value that one thread writes and other threads may read at any time, without any order with
/// respect to other memory. Kernels include this header: in C++20, <atomic> would make the compiler
/// read twice as much text for each kernel.
template <typename T>
class Relaxed {
public:
    constexpr explicit Relaxed(T value) : value_(value) {}
    Relaxed(const Relaxed&) = delete;
    Relaxed& operator=(const Relaxed&) = delete;

    T Get() const { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
    void Set(T value) { __atomic_store_n(&value_, value, __ATOMIC_RELAXED); }
    /// Adds 1; only the thread that writes the value may call this.
    void Increment() { Set(Get() + 1); }

private:
    T value_;
};

}  // namespace twin
