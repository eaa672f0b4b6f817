// SPDX-License-Identifier: Apache-2.0
#pragma once

// TWIN_EXPORT_KERNEL(name), after a kernel's source and in the same translation unit, makes the
// kernel loadable. A plain function or an instance name<...> is exported as it is; a function
// template is exported with the instances that its ASCENDC_TPL_* declarations select. The caller of
// the compiler defines __DAV_C220_VEC__ or __DAV_C220_CUBE__ for the kind of core, as the device
// compiler does. The macro TWIN_KERNEL_ARGUMENTS must be a text with the names of the kernel's
// parameters, such as "x, y", or "" if the names are not known.
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/core.h"
#include "core/kernel_arguments.h"
#include "core/template_tiling.h"
#include "core/uses.h"

/// The argument type of calls of an exported kernel template: it converts to pointers only. It is
/// in the global namespace, so that the compiler finds the kernel by argument-dependent lookup.
struct TwinKernelArgument {
    void* pointer;
    template <typename T>
    operator T*() const {
        return static_cast<T*>(pointer);
    }
};

namespace twin::tiling {

template <size_t>
using ArgumentAt = TwinKernelArgument;

/// True if `Way` can call the kernel with one pointer for each index of the sequence.
template <typename Way, typename Count, typename = void>
struct Takes : std::false_type {};
template <typename Way, size_t... index>
struct Takes<Way, std::index_sequence<index...>,
             std::void_t<decltype(Way::TwinCall(std::declval<ArgumentAt<index>>()...))>>
    : std::true_type {};

/// Returns the number of pointers that the kernel takes; -1 if `Way` cannot call the kernel.
template <typename Way, int count = static_cast<int>(kMaxKernelArgs)>
constexpr int ArgumentCount() {
    if constexpr (Takes<Way, std::make_index_sequence<count>>::value) {
        return count;
    } else if constexpr (count == 0) {
        return -1;
    } else {
        return ArgumentCount<Way, count - 1>();
    }
}

/// Argument for `Way::TwinSignature`. Its call operator returns the `Parameters` type of the
/// kernel.
struct Signature {
    template <typename R, typename... P>
    Parameters<P...> operator()(R (*)(P...)) const;
};
template <typename Way, typename = void>
struct IsFunction : std::false_type {};
template <typename Way>
struct IsFunction<Way, std::void_t<decltype(Way::TwinSignature(Signature()))>> : std::true_type {};

/// Stands for a kernel that is neither a function nor a declared template. `Kernel` rejects it.
struct Unknown {
    using Taken = Parameters<>;
    static void Call(const void*) {}
};

/// A kernel that is a function.
template <typename Way>
struct Plain {
    using Taken = decltype(Way::TwinSignature(Signature()));
    static void Call(const void* args) {
        Taken::Call([](auto... p) { Way::TwinCall(p...); }, args);
    }
};

/// A kernel that is a template: the tiling key of the launch selects the instance.
template <typename Declared, typename Selected>
struct Templated {
    using All = Instances<Declared, Selected>;
    static_assert(All::Sound(), "ASCENDC_TPL_*: the first complaint says what is wrong");
    template <size_t instance>
    struct Way {
        template <typename... P>
        static auto TwinCall(P... p) -> decltype(Declared::template TwinCall<All, instance>(p...)) {
            return Declared::template TwinCall<All, instance>(p...);
        }
    };
    static constexpr int kCount = ArgumentCount<Way<0>>();
    static_assert(
        kCount >= 0,
        "the kernel template does not take the arguments that ASCENDC_TPL_ARGS_DECL lists "
        "(number, order, types), or takes something else than pointers (GM_ADDR)");

    using Taken = Pointers < kCount<0 ? 0 : kCount>;

    template <size_t instance>
    static bool CallIf(uint64_t key, const void* args) {
        constexpr uint64_t kKey = All::Key(instance);
        constexpr int32_t kType = All::KernelType(instance);
        if constexpr (kType >= 0) {
            TWIN_TASK_TYPE(kKey, kType);
        }
        if (key != kKey) {
            return false;
        }
        if constexpr (kCount >= 0) {
            Taken::Call([](auto... p) { Way<instance>::TwinCall(TwinKernelArgument{p}...); }, args);
        }
        return true;
    }
    template <size_t... instance>
    static void Dispatch(const void* args, std::index_sequence<instance...>) {
        TWIN_ANY_TILING_KEY;  // a key without an instance is T440, not T614
        const uint64_t key = Self().tilingKey;
        if (!(CallIf<instance>(key, args) || ...)) {
            Fail("T440",
                 "no such template instance: tiling key %llu selects none of the kernel's %zu "
                 "instances\n  try: GET_TPL_TILING_KEY with values that ASCENDC_TPL_SEL has",
                 static_cast<unsigned long long>(key), sizeof...(instance));
        }
    }
    static void Call(const void* args) { Dispatch(args, std::make_index_sequence<All::Total()>()); }
};

/// Describes the kernel that the export names: a function, or a template whose instances are
/// declared.
template <typename Way, typename Declared = typename Published<TwinDeclarationTag, Way>::Type,
          typename Selected = typename Published<TwinSelectionTag, Way>::Type>
struct Kernel
    : std::conditional_t<IsFunction<Way>::value, Plain<Way>, Templated<Declared, Selected>> {};
template <typename Way, typename Selected>
struct Kernel<Way, void, Selected>
    : std::conditional_t<IsFunction<Way>::value, Plain<Way>, Unknown> {
    static_assert(IsFunction<Way>::value,
                  "the kernel is a template or has overloads: a kernel template needs "
                  "ASCENDC_TPL_ARGS_DECL and ASCENDC_TPL_SEL, or a launch that names its instance");
};

}  // namespace twin::tiling

/// Declares a variable from which debuggers get the core's data (device/tensor/debugger.h).
#ifndef TWIN_FOR_DEBUGGER
#define TWIN_FOR_DEBUGGER
#endif

#ifdef CANNERY_KERNEL_TYPE
#define TWIN_KERNEL_TYPE_OVERRIDE (CANNERY_KERNEL_TYPE)
#else
#define TWIN_KERNEL_TYPE_OVERRIDE (-1)
#endif

using TwinKernelBinary = twin::KernelBinary;

/// Returns the description of a kernel for TWIN_EXPORT_KERNEL. All names in that macro begin with
/// twin, Twin or TWIN, so that no macro of the kernel changes them.
template <typename TwinWay>
constexpr twin::KernelBinary TwinExportedKernel(const char* name, const char* argumentNames,
                                                twin::CoreKind core, int32_t kindOverride) {
    using Kernel = twin::tiling::Kernel<TwinWay>;
    return {twin::CoreAbi(),
            name,
            Kernel::Taken::kCount,
            Kernel::Taken::kTable.of,
            argumentNames,
            &Kernel::Call,
            core,
            kindOverride,
            nullptr};
}

#define TWIN_EXPORT_KERNEL(...)                                                           \
    namespace twin_export {                                                               \
    struct TwinWay {                                                                      \
        template <typename TwinT>                                                         \
        static auto TwinSignature(TwinT twinTake) -> decltype(twinTake(::__VA_ARGS__));   \
        template <typename... TwinT>                                                      \
        static auto TwinCall(TwinT... twinArgs) -> decltype(::__VA_ARGS__(twinArgs...)) { \
            TWIN_FOR_DEBUGGER                                                             \
            return ::__VA_ARGS__(twinArgs...);                                            \
        }                                                                                 \
    };                                                                                    \
    }                                                                                     \
    extern "C" __attribute__((__visibility__("default")))                                 \
    const TwinKernelBinary twin_kernel_binary;                                            \
    const TwinKernelBinary twin_kernel_binary = TwinExportedKernel<twin_export::TwinWay>( \
        #__VA_ARGS__, TWIN_KERNEL_ARGUMENTS, TWIN_CODE_FOR, TWIN_KERNEL_TYPE_OVERRIDE);
