// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <typeinfo>

#include "core/types.h"

namespace twin {

/// Raise this number whenever a kernel built against older headers could misbehave in a newer twin.
constexpr uint32_t kKernelAbi = 7;
constexpr uint32_t kMaxKernelArgs = 64;

/// The numbers are those of `KernelType` of the toolkit (KERNEL_TYPE_*).
enum class KernelKind : int32_t {
    Unknown = -1,
    AivOnly = 0,
    AicOnly = 1,
    MixAiv10 = 2,
    MixAic10 = 3,
    MixAic11 = 4,
    MixAic12 = 5,
};

/// One parameter of a kernel, with its place in the data of a launch: parameters follow each other
/// like the members of a struct.
struct KernelParameter {
    uint32_t offset;
    uint32_t bytes;
    bool pointer;  ///< a pointer to global memory; otherwise a value
};

/// A kernel shared object exports this under the name `twin_kernel_binary`. The kernel's type is in
/// its marks (core/uses.h).
struct KernelBinary {
    uint32_t abi;
    const char* name;
    uint32_t argCount;
    const KernelParameter* parameters;
    const char* argNames;  ///< "x, y, z" as in the source; empty if they are not known
    void (*call)(const void* args);
    CoreKind core;         ///< the kind of core that the code is for
    int32_t kindOverride;  ///< KernelKind requested when the kernel was compiled; -1: none
    /// For a launch in a host program, which finds the kernel by it (core/launch_site.h); otherwise
    /// null.
    const std::type_info* site;

    /// Bytes that a launch passes.
    uint32_t ArgBytes() const {
        if (argCount == 0) {
            return 0;
        }
        const KernelParameter& last = parameters[argCount - 1];
        return last.offset + last.bytes;
    }
    /// The parameters of an operator's kernel: `count` pointers.
    bool TakesPointers(uint64_t count) const {
        return argCount == count && CountPointers() == argCount;
    }
    uint32_t CountPointers() const {
        uint32_t pointers = 0;
        for (uint32_t i = 0; i < argCount; ++i) {
            pointers += parameters[i].pointer ? 1 : 0;
        }
        return pointers;
    }
    /// A launch may round these bytes up to whole words.
    bool TakesBytes(uint64_t bytes) const {
        const uint64_t word = sizeof(void*);
        return bytes == ArgBytes() || bytes == (ArgBytes() + word - 1) / word * word;
    }
};

}  // namespace twin
