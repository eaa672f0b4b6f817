// SPDX-License-Identifier: Apache-2.0
#pragma once

// Launches of kernels that are functions of a test program, compiled once for both kinds of core
// (TWIN_BOTH_KINDS). tikicpulib.h uses this. Two things differ from other launches: the kernel is
// anything that can be called, and the test chooses which cores run it.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "core/types.h"

namespace twin::unit_test {

/// The cores of a block, with the numbers of the toolkit's KernelMode.
enum class Mode : int32_t {
    ByCode = -1,  ///< the kernel type in the source, or else the kernel's code, decides the cores
    OneAndTwo = 0,
    Cube = 1,
    Vector = 2,
    OneAndOne = 3,
};

/// One launch, as the test passes it to the runtime.
struct Request {
    const char* kernel;     ///< name of the kernel in the test
    const char* arguments;  ///< text of the arguments in the test, such as "x, (uint8_t*)tiling"
    const char* file;       ///< file of the test
    uint32_t line;
    int64_t blocks;
    void (*call)(const void* words);  ///< called on every core; the first word is `function`
    const void* function;
    void* const* pointers;  ///< the arguments; nullptr if one of them is not a pointer
    size_t count;
};

}  // namespace twin::unit_test

extern "C" {
/// Allocates zeroed global memory, which the caller frees. On an error, returns nullptr and sets
/// `*problem` to a text that exists until this thread calls a twinTest function again.
TWIN_API void* twinTestAllocate(size_t bytes, const char** problem);
/// Frees the memory. Returns the error, or nullptr if there is no error.
TWIN_API const char* twinTestFree(void* address);
TWIN_API const char* twinTestSetMode(int32_t mode);
TWIN_API void twinTestSetTilingKey(uint64_t key);
/// Runs the kernel to its end; returns the error, or nullptr.
TWIN_API const char* twinTestRun(const twin::unit_test::Request* request);
}

namespace twin::unit_test {

/// Throws if there is a problem, so that the test framework lets only this test case fail.
inline void Check(const char* problem) {
    if (problem != nullptr) {
        throw std::runtime_error(problem);
    }
}

inline void* Allocate(size_t bytes) {
    const char* problem = nullptr;
    void* const address = twinTestAllocate(bytes, &problem);
    Check(problem);
    return address;
}

template <typename T>
void* PointerOf(const T& argument) {
    if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>) {
        return const_cast<void*>(static_cast<const volatile void*>(argument));
    } else {
        (void)argument;
        return nullptr;
    }
}

/// The arguments of a launch as pointers, so that the twin can find the global memory among them.
template <typename... T>
class Pointers {
public:
    explicit Pointers(const T&... arguments) : of_{PointerOf<std::decay_t<T>>(arguments)...} {}
    void* const* Begin() const { return of_; }

private:
    void* of_[sizeof...(T) + 1] = {};
};

/// Runs `function`, which calls the kernel with its arguments.
template <typename Function, typename... T>
void Run(Request request, int64_t blocks, const Function& function, const T&... arguments) {
    const Pointers<T...> pointers(arguments...);
    request.blocks = blocks;
    request.call = [](const void* words) { (*static_cast<const Function* const*>(words)[0])(); };
    request.function = &function;
    request.pointers = pointers.Begin();
    request.count = sizeof...(T);
    Check(twinTestRun(&request));
}

}  // namespace twin::unit_test
