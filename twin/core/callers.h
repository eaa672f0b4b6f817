// SPDX-License-Identifier: Apache-2.0
// Finds the lines of the kernel that have called the function with an Ascend C call. Frame pointers
// on the core's stack lead to them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/core.h"
#include "core/task.h"

namespace twin {

/// A range of addresses of code.
struct CodeRange {
    uintptr_t begin = 0;
    uintptr_t end = 0;
};

/// Returns the range of addresses at which the code of the twin's own library is loaded.
CodeRange OwnCode();

/// Calls look(returnAddress) for each call in the kernel's code that has not returned yet on this
/// core, innermost first. Code without frame pointers may end the list early or add wrong
/// addresses. The function never reads outside the core's stack.
template <typename Look>
__attribute__((always_inline)) inline void EachCall(Look&& look) {
    /// What a function stores at its frame pointer, on x86-64 and on aarch64.
    struct Frame {
        const Frame* caller;
        uintptr_t returnAddress;
    };
    static const CodeRange own = OwnCode();
    constexpr int kMost = 64;
    const Core* const core = SelfOrNull();
    if (core == nullptr || core->task == nullptr) {
        return;  // not on the stack of a core
    }
    const Stack& stack = core->task->storage->stack;
    const auto end = reinterpret_cast<uintptr_t>(stack.Base()) + Stack::Bytes();
    const auto* frame = static_cast<const Frame*>(__builtin_frame_address(0));
    for (int i = 0; i < kMost; ++i) {
        const uintptr_t address = frame->returnAddress;
        if (address < own.begin || address >= own.end) {
            look(address);
        }
        const Frame* const caller = frame->caller;
        const auto at = reinterpret_cast<uintptr_t>(caller);
        if (caller <= frame || at % sizeof(uintptr_t) != 0 || at + sizeof(Frame) > end) {
            return;
        }
        frame = caller;
    }
}

/// The innermost line in the kernel's own code, and the line that has called the function that
/// contains it. The line of `caller` is 0 if `line` is in the kernel function itself.
struct CallEnds {
    Location line;
    Location caller;

    bool InOtherFiles() const;  ///< returns whether the caller is in another file than `line`
};

/// Returns the ends of a list of lines, which are those of the calls that EachCall finds.
CallEnds EndsOf(std::vector<Location> lines);

/// Returns the line that has called the function of the core's current call, if this line is in
/// another file than the function. Otherwise the line of the result is 0.
Location CallerInAnotherFile(const Core& core);

}  // namespace twin
