// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_KERNEL_BINARY_H
#define TWIN_CORE_KERNEL_BINARY_H

#include <cstdint>

namespace twin {

/// Raised whenever a kernel built against older headers could misbehave in a newer twin.
constexpr uint32_t kKernelAbi = 3;
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

/// What `KERNEL_TASK_TYPE` and `KERNEL_TASK_TYPE_DEFAULT` left in the kernel's text.
struct TaskType {
    uint64_t tilingKey;
    int32_t isDefault;
    int32_t kind;
};

/// What a kernel shared object exports under the name `twin_kernel_binary`.
struct KernelBinary {
    uint32_t abi;
    const char* name;
    uint32_t argCount;
    const char* argNames;  ///< "x, y, z" as the source has them; empty where they are not known
    void (*call)(void* const* args);
    /// Task types found in the source; the loader derives the rest.
    const TaskType* taskTypes;
    uint32_t taskTypeCount;
    uint32_t usesHardSync;  ///< the source contains SyncAll<true>()
    uint32_t usesCube;      ///< the source contains cube instructions or the Matmul server
    int32_t attributeKind;  ///< KernelKind of __vector__, __cube__ or __mix__; -1: none
    int32_t kindOverride;   ///< KernelKind asked for by whoever compiled the kernel; -1: none
};

}  // namespace twin

#endif  // TWIN_CORE_KERNEL_BINARY_H
