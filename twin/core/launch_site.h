// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `kernel<<<blocks, ub, stream>>>(arguments)` becomes for a host compiler. `cannery cc`
// compiles a source once for the host and once for each kind of core. It first replaces the launch:
//   ::twin::launch::At<7>([](auto... p) { return kernel(p...); }, [] { return Place{...}; })
//   (blocks, ub, stream)(arguments)
// 7 is the number of the launch. This is an ordinary call, so the compiler resolves overloads,
// template arguments and conversions. In the host code, the call passes the arguments to the
// runtime. In the code for a kind of core, the call defines a KernelBinary whose function calls the
// kernel. The linker puts this KernelBinary and all functions that the kernel calls into a library.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <typeinfo>

#include "core/kernel_arguments.h"
#include "core/types.h"
#ifdef TWIN_CODE_FOR
#include "core/core.h"
#endif

namespace twin::launch {

/// Texts of a launch in the source.
struct Place {
    const char* kernel;     ///< name of the kernel in the launch
    const char* arguments;  ///< the kernel's parameters, "x, y"; empty if they are not known
};

/// A library that the program contains: the code of one launch for one kind of core.
struct Library {
    uint64_t site;
    const unsigned char* begin;
    const unsigned char* end;
};

/// All libraries that a program or shared object contains, exported as `twin_carried_libraries`.
struct Libraries {
    const Library* first;
    size_t count;
};

/// One launch, as the host program passes it to the runtime.
struct Request {
    uint64_t site;
    const std::type_info* instance;  ///< differs for each instance of a template around the launch
    const char* kernel;
    int64_t blocks;
    uint64_t ubBytes;
    void* stream;
    const void* args;
    size_t argBytes;
};

}  // namespace twin::launch

extern "C" {
/// Registers libraries that the program contains. Static initialisers call this before main.
TWIN_API void twinAddLibraries(const twin::launch::Library* libraries, size_t count);
/// Adds the launch to the stream's queue. Errors of the launch are printed, and the stream's
/// synchronisation returns their status.
TWIN_API void twinLaunchKernel(const twin::launch::Request* request);
}

namespace twin::launch {

/// Type that identifies a launch in all compilations of its source.
template <uint64_t site, typename Kernel, typename PlaceOf, typename... P>
struct Instance {};

#ifdef TWIN_CODE_FOR

/// Stores the kernel's type (declared by __vector__, __cube__ or __mix__) in the compiled code.
template <int kind>
__attribute__((always_inline)) inline void KernelAttribute() {
    TWIN_ATTRIBUTE_OF_CODE(kind);
}

/// Returns an object of a class without members, such as a lambda, so that it can be called.
template <typename Empty>
const Empty& Stateless() {
    static_assert(std::is_empty_v<Empty>,
                  "kernel<<<...>>>: a launch takes the name of a kernel or a constexpr pointer to "
                  "one; a variable has no value when the kernel is compiled");
    static const char kNothing = 0;
    return *reinterpret_cast<const Empty*>(&kNothing);
}

template <typename Kernel, typename... P>
void Run(const void* args) {
    Parameters<P...>::Call([](auto... p) { Stateless<Kernel>()(p...); }, args);
}

/// Creates the kernel binary, under a name that `cannery cc` looks for.
template <uint64_t site, typename Kernel, typename PlaceOf, typename... P>
void Emit(PlaceOf place) {
    constexpr Place kPlace = place();
    static const KernelBinary twin_launch_site_binary __attribute__((used)) = {
        CoreAbi(),
        kPlace.kernel,
        Parameters<P...>::kCount,
        Parameters<P...>::kTable.of,
        kPlace.arguments,
        &Run<Kernel, P...>,
        TWIN_CODE_FOR,
        -1,
        &typeid(Instance<site, Kernel, PlaceOf, P...>),
    };
    asm volatile("" ::"m"(twin_launch_site_binary));
}

#endif  // TWIN_CODE_FOR

template <uint64_t site, typename Kernel, typename PlaceOf>
class Configured {
public:
    Configured(PlaceOf place, int64_t blocks, uint64_t ubBytes, void* stream)
        : place_(place), blocks_(blocks), ubBytes_(ubBytes), stream_(stream) {}

    template <typename... P>
    void operator()(P... arguments) const {
#ifdef TWIN_CODE_FOR
        Emit<site, Kernel, PlaceOf, P...>(place_);
        (void)std::initializer_list<const void*>{&arguments...};
#else
        using Taken = Parameters<P...>;
        constexpr auto& kTable = Taken::kTable;
        constexpr size_t kWords =
            (kTable.of[Taken::kCount].offset + sizeof(uint64_t) - 1) / sizeof(uint64_t);
        uint64_t words[kWords + 1] = {};
        size_t index = 0;
        (std::memcpy(reinterpret_cast<char*>(words) + kTable.of[index++].offset, &arguments,
                     sizeof(P)),
         ...);
        const Request request = {site,
                                 &typeid(Instance<site, Kernel, PlaceOf, P...>),
                                 place_().kernel,
                                 blocks_,
                                 ubBytes_,
                                 stream_,
                                 words,
                                 kWords * sizeof(uint64_t)};
        twinLaunchKernel(&request);
#endif
    }

private:
    PlaceOf place_;
    int64_t blocks_;
    uint64_t ubBytes_;
    void* stream_;
};

template <uint64_t site, typename Kernel, typename PlaceOf>
class Launcher {
public:
    explicit Launcher(PlaceOf place) : place_(place) {}

    /// `ub` may be a pointer, which is ignored: older toolkits had such a parameter.
    template <typename Blocks, typename Ub = int>
    auto operator()(Blocks blocks, Ub ub = 0, void* stream = nullptr) const {
        uint64_t ubBytes = 0;
        if constexpr (std::is_integral_v<Ub> || std::is_enum_v<Ub>) {
            ubBytes = static_cast<uint64_t>(ub);
        }
        return Configured<site, Kernel, PlaceOf>(place_, static_cast<int64_t>(blocks), ubBytes,
                                                 stream);
    }

private:
    PlaceOf place_;
};

template <uint64_t site, typename Kernel, typename PlaceOf>
Launcher<site, Kernel, PlaceOf> At(Kernel, PlaceOf place) {
    return Launcher<site, Kernel, PlaceOf>(place);
}

/// Replaces the launches of a source if only one of its kernels is compiled. Launches nothing.
struct Nowhere {
    template <typename... Numbers>
    auto operator()(Numbers&&...) const {
        return [](auto&&...) {};
    }
};

}  // namespace twin::launch
