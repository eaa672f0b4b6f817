// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYS_TILING_H
#define TWIN_DEVICE_SYS_TILING_H

#include <cstdint>
#include <type_traits>

#include "core/core.h"
#include "core/kernel_binary.h"
#include "device/types/enums.h"
#include "device/types/qualifiers.h"

namespace twin {

/// Copies tiling data out of GM; the access is checked, but counts as neither traffic nor
/// instruction.
TWIN_API void ReadTiling(void* destination, const void* source, uint64_t bytes, Location where);

}  // namespace twin

/// Stands for the struct of REGISTER_TILING_DEFAULT where a kernel has none: incomplete, so that
/// GET_TILING_DATA names it.
struct GET_TILING_DATA_needs_REGISTER_TILING_DEFAULT;
using TwinDefaultTiling = GET_TILING_DATA_needs_REGISTER_TILING_DEFAULT;

// Plain-struct tiling: the struct is registered where it is used, so a name in the same scope
// carries it.
#define REGISTER_TILING_DEFAULT(tilingStruct) \
    using TwinDefaultTiling [[maybe_unused]] = tilingStruct
#define REGISTER_TILING_FOR_TILINGKEY(expression, tilingStruct) \
    static_assert(sizeof(tilingStruct) > 0, "")

#define GET_TILING_DATA(tilingData, tilingArg) \
    GET_TILING_DATA_WITH_STRUCT(TwinDefaultTiling, tilingData, tilingArg)
#define GET_TILING_DATA_WITH_STRUCT(tilingStruct, tilingData, tilingArg)                           \
    tilingStruct tilingData;                                                                       \
    static_assert(std::is_trivially_copyable<tilingStruct>::value, "tiling data are plain bytes"); \
    ::twin::ReadTiling(&tilingData, tilingArg, sizeof(tilingStruct), ::twin::Location::Here())
#define GET_TILING_DATA_MEMBER(tilingStruct, member, var, tilingArg)                    \
    decltype(tilingStruct::member) var;                                                 \
    ::twin::ReadTiling(&var, (tilingArg) + offsetof(tilingStruct, member), sizeof(var), \
                       ::twin::Location::Here())

#ifndef TILING_KEY_VAR
#define TILING_KEY_VAR (::twin::Self().tilingKey)
#endif
#define TILING_KEY_IS(k) (TILING_KEY_VAR == (k))

// The task type must be known before the kernel runs: the macro leaves a record in the binary, it
// executes nothing.
#define TWIN_RECORD_TASK_TYPE(key, isDefault, type)                                       \
    asm volatile(                                                                         \
        ".pushsection twin_task_types, \"a\"\n .balign 8\n .quad %c0\n .long %c1, %c2\n " \
        ".popsection"                                                                     \
        :                                                                                 \
        : "i"(static_cast<unsigned long long>(key)), "i"(isDefault), "i"(static_cast<int>(type)))
#define KERNEL_TASK_TYPE(key, value) TWIN_RECORD_TASK_TYPE(key, 0, value)
#define KERNEL_TASK_TYPE_DEFAULT(value) TWIN_RECORD_TASK_TYPE(0, 1, value)

#endif  // TWIN_DEVICE_SYS_TILING_H
