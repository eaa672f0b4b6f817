// SPDX-License-Identifier: Apache-2.0
#pragma once

// A launch passes a kernel's parameters (pointers to global memory, and values) one after the
// other, like the members of a struct. This file describes them.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "core/types.h"
#include "core/uses.h"

namespace twin {

/// Raise this number whenever a kernel built against older headers could misbehave in a newer twin.
constexpr uint32_t kKernelAbi = 10;
constexpr uint32_t kMaxKernelArgs = 64;

/// The kernel types, with the numbers of the toolkit's `KernelType` (KERNEL_TYPE_*).
enum class KernelKind : int32_t {
    Unknown = -1,
    AivOnly = 0,
    AicOnly = 1,
    MixAiv10 = 2,
    MixAic10 = 3,
    MixAic11 = 4,
    MixAic12 = 5,
};

/// One parameter of a kernel, with its offset and its size in the data of a launch.
struct KernelParameter {
    uint32_t offset;
    uint32_t bytes;
    bool pointer;  ///< the parameter is a pointer to global memory; otherwise it is a value
};

/// Description of a kernel, which its shared object exports as `twin_kernel_binary`. The kernel's
/// type is not a member: the names of ELF sections contain the type (core/uses.h).
struct KernelBinary {
    uint32_t abi;
    const char* name;
    uint32_t argCount;
    const KernelParameter* parameters;
    const char* argNames;  ///< names of the parameters, such as "x, y, z"; empty: not known
    void (*call)(const void* args);
    CoreKind core;         ///< kind of core for which the code is compiled
    int32_t kindOverride;  ///< KernelKind requested when the kernel was compiled; -1: none
    /// Type by which a launch in a host program finds the kernel (core/launch_site.h), or nullptr.
    const std::type_info* site;

    uint32_t ArgBytes() const {
        if (argCount == 0) {
            return 0;
        }
        const KernelParameter& last = parameters[argCount - 1];
        return last.offset + last.bytes;
    }
    /// Returns true if the parameters are `count` pointers, as in an operator's kernel.
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
    /// Returns true if a launch may pass `bytes` bytes of parameters. The launch may round the size
    /// of the parameters up to whole words.
    bool TakesBytes(uint64_t bytes) const {
        const uint64_t word = sizeof(void*);
        return bytes == ArgBytes() || bytes == (ArgBytes() + word - 1) / word * word;
    }
};

/// The type of a parameter, for callers in another language. `Bytes` means a struct, or a number
/// type that C++ does not have.
enum class ParameterKind { Pointer, Signed, Unsigned, Float, Bool, Bytes };

template <typename T>
constexpr ParameterKind ParameterKindOf() {
    if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) {
        return ParameterKind::Pointer;
    } else if constexpr (std::is_same_v<T, bool>) {
        return ParameterKind::Bool;
    } else if constexpr (std::is_floating_point_v<T>) {
        return ParameterKind::Float;
    } else if constexpr (std::is_enum_v<T>) {
        return ParameterKindOf<std::underlying_type_t<T>>();
    } else if constexpr (std::is_integral_v<T>) {
        return std::is_signed_v<T> ? ParameterKind::Signed : ParameterKind::Unsigned;
    } else {
        return ParameterKind::Bytes;
    }
}

template <typename T>
T ReadParameter(const void* args, uint32_t offset) {
    alignas(T) unsigned char copy[sizeof(T)];
    std::memcpy(copy, static_cast<const unsigned char*>(args) + offset, sizeof(T));
    return *reinterpret_cast<T*>(copy);
}

/// The layout of a kernel's parameters, whose types are `Types`.
template <typename... Types>
struct Parameters {
    static_assert(((std::is_trivially_copyable_v<Types> && !std::is_reference_v<Types>) && ...),
                  "a kernel takes pointers, numbers and structs of them, which are copied byte by "
                  "byte; this parameter is a reference, or owns something");
    static constexpr uint32_t kCount = sizeof...(Types);
    static_assert(kCount <= kMaxKernelArgs, "a kernel takes 64 parameters at most");

    struct Table {
        KernelParameter of[kCount + 1];  ///< the parameters, and an entry whose offset is their end
    };
    static constexpr Table Layout() {
        constexpr uint32_t kBytes[] = {sizeof(Types)..., 0};
        constexpr uint32_t kAlignment[] = {alignof(Types)..., 1};
        constexpr bool kPointer[] = {(ParameterKindOf<Types>() == ParameterKind::Pointer)...,
                                     false};
        Table table{};
        uint32_t end = 0;
        for (uint32_t i = 0; i < kCount; ++i) {
            const uint32_t offset = (end + kAlignment[i] - 1) / kAlignment[i] * kAlignment[i];
            table.of[i] = {offset, kBytes[i], kPointer[i]};
            end = offset + kBytes[i];
        }
        table.of[kCount] = {end, 0, false};
        return table;
    }
    static constexpr Table kTable = Layout();

    /// Calls `function` with the parameters that `args` contains.
    template <typename Function>
    static void Call(Function&& function, const void* args) {
        CallAt(function, args, std::index_sequence_for<Types...>());
    }

private:
    template <typename Function, size_t... index>
    static void CallAt(Function& function, const void* args, std::index_sequence<index...>) {
        (void)args;
        (MarkAt<index, Types>(), ...);
        function(ReadParameter<Types>(args, kTable.of[index].offset)...);
    }
    template <size_t index, typename T>
    __attribute__((always_inline)) static void MarkAt() {
        TWIN_MARK("twin_kernel.parameter.%c0.%c1.%c2.%c3", "i"(static_cast<int>(index)),
                  "i"(static_cast<int>(ParameterKindOf<T>())), "i"(static_cast<int>(sizeof(T))),
                  "i"(static_cast<int>(kTable.of[index].offset)));
    }
};

/// The layout of parameters that are all pointers, one for each index of the sequence.
template <typename Sequence>
struct PointersOnly;
template <size_t... index>
struct PointersOnly<std::index_sequence<index...>> {
    template <size_t>
    using Pointer = void*;
    using Type = Parameters<Pointer<index>...>;
};
template <int count>
using Pointers = typename PointersOnly<std::make_index_sequence<count>>::Type;

}  // namespace twin

// The kind of core for which the translation unit is compiled. The caller of the compiler defines
// one of these two macros, as the device compiler does. With TWIN_HOST_CODE, code for the host
// reads the bodies of kernels as this kind of core does.
#if defined(TWIN_HOST_CODE)
#elif defined(__DAV_C220_CUBE__)
namespace twin {
constexpr CoreKind TwinKindOfCode = CoreKind::Aic;
}
#define TWIN_CODE_FOR (::twin::TwinKindOfCode)
#elif defined(__DAV_C220_VEC__)
namespace twin {
constexpr CoreKind TwinKindOfCode = CoreKind::Aiv;
}
#define TWIN_CODE_FOR (::twin::TwinKindOfCode)
#endif
