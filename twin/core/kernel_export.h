// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_KERNEL_EXPORT_H
#define TWIN_CORE_KERNEL_EXPORT_H

// Included after a kernel's source, in the same translation unit: makes the kernel loadable.
#include <cstddef>
#include <type_traits>
#include <utility>

#include "core/kernel_binary.h"

namespace twin {

template <auto kernel>
struct KernelThunk;

template <typename... Args, void (*kernel)(Args...)>
struct KernelThunk<kernel> {
    static_assert((std::is_pointer<Args>::value && ...),
                  "a kernel takes pointers (GM_ADDR) only: pass scalars in tiling data");
    static_assert(sizeof...(Args) <= kMaxKernelArgs, "too many kernel parameters");
    static constexpr uint32_t kCount = sizeof...(Args);

    template <size_t... index>
    static void CallAt(void* const* args, std::index_sequence<index...>) {
        (void)args;
        kernel(reinterpret_cast<Args>(args[index])...);
    };
    static void Call(void* const* args) { CallAt(args, std::index_sequence_for<Args...>()); }
};

}  // namespace twin

// Bounds of the sections that KERNEL_TASK_TYPE and SyncAll write into; null when the kernel uses
// neither.
extern "C" {
extern const twin::TaskType __start_twin_task_types[] __attribute__((weak, visibility("hidden")));
extern const twin::TaskType __stop_twin_task_types[] __attribute__((weak, visibility("hidden")));
extern const char __start_twin_hard_sync[] __attribute__((weak, visibility("hidden")));
}

#ifdef CANNERY_KERNEL_TYPE
#define TWIN_KERNEL_TYPE_OVERRIDE (CANNERY_KERNEL_TYPE)
#else
#define TWIN_KERNEL_TYPE_OVERRIDE (-1)
#endif

#define TWIN_EXPORT_KERNEL(kernel)                                                                 \
    extern "C" __attribute__((visibility("default"))) const twin::KernelBinary twin_kernel_binary; \
    const twin::KernelBinary twin_kernel_binary = {                                                \
        twin::kKernelAbi,                                                                          \
        #kernel,                                                                                   \
        twin::KernelThunk<&kernel>::kCount,                                                        \
        &twin::KernelThunk<&kernel>::Call,                                                         \
        __start_twin_task_types,                                                                   \
        static_cast<uint32_t>(__stop_twin_task_types - __start_twin_task_types),                   \
        __start_twin_hard_sync != nullptr ? 1U : 0U,                                               \
        TWIN_KERNEL_TYPE_OVERRIDE,                                                                 \
    };

#endif  // TWIN_CORE_KERNEL_EXPORT_H
