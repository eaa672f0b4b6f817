// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_KERNEL_BINARY_H
#define TWIN_CORE_KERNEL_BINARY_H

#include <cstdint>

#include "core/types.h"

namespace twin {

/// Raised whenever a kernel built against older headers could misbehave in a newer twin.
constexpr uint32_t kKernelAbi = 5;
constexpr uint32_t kMaxKernelArgs = 64;

/// Same numbers as `KernelType` of the toolkit (KERNEL_TYPE_*).
enum class KernelKind : int32_t {
    Unknown = -1,
    AivOnly = 0,
    AicOnly = 1,
    MixAiv10 = 2,
    MixAic10 = 3,
    MixAic11 = 4,
    MixAic12 = 5,
};

/// What a kernel shared object exports under the name `twin_kernel_binary`. The kernel's type is in
/// its marks (core/uses.h).
struct KernelBinary {
    uint32_t abi;
    const char* name;
    uint32_t argCount;
    const char* argNames;  ///< "x, y, z" as the source has them; empty where they are not known
    void (*call)(void* const* args);
    CoreKind core;         ///< the kind of core that the code is for
    int32_t kindOverride;  ///< KernelKind asked for by whoever compiled the kernel; -1: none
};

}  // namespace twin

#endif  // TWIN_CORE_KERNEL_BINARY_H
