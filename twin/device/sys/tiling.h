// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "core/core.h"
#include "core/template_tiling.h"
#include "core/uses.h"
#include "device/types/dtype.h"
#include "device/types/enums.h"

/// The tiling struct of a kernel without REGISTER_TILING_DEFAULT. The struct is incomplete: the
/// compile error of GET_TILING_DATA shows the struct's name.
struct GET_TILING_DATA_needs_REGISTER_TILING_DEFAULT;

// Registers the plain struct of the tiling data. GET_TILING_DATA finds it through this alias, which
// must be visible in the kernel.
#define REGISTER_TILING_DEFAULT(tilingStruct) \
    using TwinDefaultTiling [[__maybe_unused__]] = tilingStruct
// Only checks the arguments. The toolkit's build reads the arguments from the source; the kernel
// names the struct again in GET_TILING_DATA_WITH_STRUCT.
#define REGISTER_TILING_FOR_TILINGKEY(expression, tilingStruct) \
    static_assert(sizeof(expression) > 1 && sizeof(tilingStruct) > 0, "")
#define REGISTER_NONE_TILING static_cast<void>(0)

// Unit tests of kernels (tikicpulib.h) define these macros themselves, before or after this header.
#ifndef GET_TILING_DATA
using TwinDefaultTiling = GET_TILING_DATA_needs_REGISTER_TILING_DEFAULT;
#define GET_TILING_DATA(tilingData, tilingArg)                                         \
    using TwinTilingOf_##tilingData =                                                  \
        ::twin::TwinDefaultTiling<TwinDefaultTiling, ::twin::TwinNumber<__COUNTER__>>; \
    GET_TILING_DATA_WITH_STRUCT(TwinTilingOf_##tilingData, tilingData, tilingArg)
#endif
#ifndef GET_TILING_DATA_WITH_STRUCT
#define GET_TILING_DATA_WITH_STRUCT(tilingStruct, tilingData, tilingArg)                 \
    tilingStruct tilingData;                                                             \
    static_assert(__is_trivially_copyable(tilingStruct), "tiling data are plain bytes"); \
    ::twin::TwinReadTiling(&tilingData, tilingArg, sizeof(tilingStruct), ::twin::TwinHere())
#endif
#ifndef GET_TILING_DATA_MEMBER
#define GET_TILING_DATA_MEMBER(tilingStruct, member, var, tilingArg)                     \
    decltype(tilingStruct::member) var;                                                  \
    ::twin::TwinReadTiling(&var, (tilingArg) + __builtin_offsetof(tilingStruct, member), \
                           sizeof(var), ::twin::TwinHere())
#endif
/// Declares `pointer`, which points to the tiling data in global memory, not to a copy.
#ifndef GET_TILING_DATA_PTR_WITH_STRUCT
#define GET_TILING_DATA_PTR_WITH_STRUCT(tilingStruct, pointer, tilingArg)         \
    ::twin::TwinCheckTiling(tilingArg, sizeof(tilingStruct), ::twin::TwinHere()); \
    __tiling_data_ptr__ tilingStruct* pointer =                                   \
        reinterpret_cast<__tiling_data_ptr__ tilingStruct*>(tilingArg)
#endif
/// Copies a part of the tiling data to a local variable. `copy` points to this variable.
#define COPY_TILING_WITH_STRUCT(tilingStruct, source, copy)                        \
    tilingStruct twinTilingOf_##copy;                                              \
    ::twin::TwinReadTiling(&twinTilingOf_##copy, ::twin::TwinTilingSource(source), \
                           sizeof(tilingStruct), ::twin::TwinHere());              \
    tilingStruct* copy = &twinTilingOf_##copy
#define COPY_TILING_WITH_ARRAY(elementType, count, source, copy)                   \
    elementType twinTilingOf_##copy[count];                                        \
    ::twin::TwinReadTiling(&twinTilingOf_##copy, ::twin::TwinTilingSource(source), \
                           sizeof(twinTilingOf_##copy), ::twin::TwinHere());       \
    elementType(*copy)[count] = &twinTilingOf_##copy

/// Returns the struct that consists of these bytes, also in a constant expression. The compiler for
/// a card knows this function, with which kernels make a constant of a tiling.
template <typename T>
constexpr T convert_from_bytes(const uint8_t* bytes) {
    static_assert(__is_trivially_copyable(T), "convert_from_bytes: the struct is plain bytes");
    struct {
        uint8_t byte[sizeof(T)];
    } copy{};
    for (size_t i = 0; i < sizeof(T); ++i) {
        copy.byte[i] = bytes[i];
    }
    return __builtin_bit_cast(T, copy);
}

#ifdef TILING_KEY_VAR  // the compilation is for one key
#define TILING_KEY_IS(k) (TILING_KEY_VAR == (k))
#define TILING_KEY_LIST(...) ::twin::TwinKeyIsOneOf(TILING_KEY_VAR, {__VA_ARGS__})
#else
#ifdef TWIN_BOTH_KINDS  // TILING_KEY_VAR is then 0 in #if, as in the toolkit's CPU build
#define TILING_KEY_VAR g_tilingKey
#else
#define TILING_KEY_VAR (::twin::TwinTilingKey())
#endif
// The launch must know the keys that a kernel names, so these macros leave marks in the binary. So
// the keys must be constants, as for the toolkit's build, which searches the preprocessed source
// for their digits.
#define TILING_KEY_IS(k) (::twin::TwinTilingKeyIs<static_cast<__UINT64_TYPE__>(k)>())
#define TILING_KEY_LIST(...) (::twin::TwinTilingKeyIs<__VA_ARGS__>())
#endif

/// A function of the device compiler: copies tiling data to variables of the kernel.
inline void copy_data_align64(uint8_t* dst, const uint8_t* src, uint64_t bytes) {
    std::memcpy(dst, src, bytes);
}

namespace twin {

/// Copies tiling data out of GM. The access is checked, but counts neither as traffic nor as an
/// instruction.
TWIN_API void TwinReadTiling(void* destination, const void* source, uint64_t bytes, Location where);
/// Checks tiling data that the kernel reads in place.
TWIN_API void TwinCheckTiling(const void* source, uint64_t bytes, Location where);

/// Returns the address of the source of COPY_TILING_*. The source is a pointer or a member.
template <typename T>
inline const void* TwinTilingSource(const T& source) {
    if constexpr (std::is_pointer<T>::value) {
        return source;
    } else {
        return &source;
    }
}

/// Returns the launch's tiling key, and leaves a mark that the code may compare the key with any
/// number.
inline uint64_t TwinTilingKey() {
    TWIN_ANY_TILING_KEY;
    return Self().tilingKey;
}
template <uint64_t key>
__attribute__((always_inline)) inline bool NameTilingKey() {
    TWIN_TILING_KEY(key);
    return Self().tilingKey == key;
}
/// Returns whether the launch has one of these keys, and leaves a mark for each of them.
template <uint64_t... keys>
__attribute__((always_inline)) inline bool TwinTilingKeyIs() {
    return (NameTilingKey<keys>() | ...);
}
inline bool TwinKeyIsOneOf(uint64_t key, std::initializer_list<uint64_t> keys) {
    for (const uint64_t one : keys) {
        if (one == key) {
            return true;
        }
    }
    return false;
}

/// The struct that the kernel registered, or else the struct in the operator's tiling header.
template <typename Registered, typename Published>
struct ChooseTiling {
    using Type = Registered;
};
template <typename Published>
struct ChooseTiling<GET_TILING_DATA_needs_REGISTER_TILING_DEFAULT, Published> {
    using Type = typename Published::Type;
};
template <>
struct ChooseTiling<GET_TILING_DATA_needs_REGISTER_TILING_DEFAULT, void> {
    using Type = GET_TILING_DATA_needs_REGISTER_TILING_DEFAULT;
};
template <int number>
struct TwinNumber {};
template <typename Registered, typename When>
using TwinDefaultTiling =
    typename ChooseTiling<Registered,
                          typename tiling::Published<tiling::TwinTilingTag, When>::Type>::Type;

/// Leaves a mark with the task type in the code of a function. Outside of functions, writes an ELF
/// note, because linkers keep notes. The note is for all kernels of the file that name no type.
template <int type, bool inFunction>
__attribute__((always_inline)) inline int TwinNameTaskType() {
    if constexpr (inFunction) {
        TWIN_TASK_TYPE_DEFAULT(type);
    } else {
        asm volatile(
            ".pushsection \"twin_kernel.file.%c0\", \"a\", %%note\n .balign 4\n"
            " .4byte 4, 0, 0\n .asciz \"twi\"\n .popsection" ::"i"(type));
    }
    return 0;
}

}  // namespace twin

// The task type must be known before the kernel runs. So these macros leave marks in the binary and
// do nothing at run time.
#define KERNEL_TASK_TYPE(key, value) TWIN_TASK_TYPE(key, value)
/// Expands to a declaration, as in the toolkit. So the macro also works outside of functions.
#define KERNEL_TASK_TYPE_DEFAULT(value)                                             \
    [[__maybe_unused__]] const int TWIN_TASK_TYPE_NAME(twinTaskType, __COUNTER__) = \
        ::twin::TwinNameTaskType<static_cast<int>(value), __builtin_FUNCTION()[0] != 0>()
#define TWIN_TASK_TYPE_NAME(name, number) TWIN_TASK_TYPE_JOIN(name, number)
#define TWIN_TASK_TYPE_JOIN(name, number) name##number
