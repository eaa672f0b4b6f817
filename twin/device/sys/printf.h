// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include "core/core.h"
#include "core/core_output.h"
#include "device/types/half.h"

namespace twin {

/// C varargs know neither half nor bfloat16: both are printed as double.
template <typename T>
inline auto PrintArgument(const T& value) {
    if constexpr (std::is_same<T, half>::value || std::is_same<T, bfloat16_t>::value) {
        return static_cast<double>(static_cast<float>(value));
    } else {
        return value;
    }
}

/// snprintf of arguments whose format the compiler cannot check.
template <typename... Args>
inline int Format(char* text, size_t size, const char* format, const Args&... args) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return std::snprintf(text, size, format, PrintArgument(args)...);
#pragma GCC diagnostic pop
}

/// The text is made first, because the kernel's own pointers must not be followed while a lock is
/// held.
template <typename... Args>
inline void Print(const char* format, const Args&... args) {
    char text[1024];
    const int length = Format(text, sizeof(text), format, args...);
    if (length < 0) {
        return;
    }
    if (static_cast<size_t>(length) < sizeof(text)) {
        PrintFromCore(text, static_cast<size_t>(length));
        return;
    }
    std::string all(static_cast<size_t>(length) + 1, '\0');
    Format(&all[0], all.size(), format, args...);
    PrintFromCore(all.data(), static_cast<size_t>(length));
}

/// Ends the kernel with T442: the message has the condition and the kernel's own text. In host code
/// of the same unit it fails as with <assert.h>.
[[noreturn]] TWIN_API void AssertionFailed(const char* condition, const char* message,
                                           Location where);

template <typename... Args>
[[noreturn]] inline void FailAssertion(const char* condition, Location where,
                                       const char* format = "", const Args&... args) {
    char message[256] = "";
    Format(message, sizeof(message), format, args...);
    AssertionFailed(condition, message, where);
}

template <typename... Args>
inline void KernelLog(const char* level, Location where, const char* format, const Args&... args) {
    const Core& core = Self();
    char message[512] = "";
    Format(message, sizeof(message), format, args...);
    Print("[%s][Block_%u][%s_%u][%s:%u][%s] %s\n", level, core.blockIdx, Name(core.kind),
          core.subBlockIdx, where.file, where.line, where.function, message);
}

}  // namespace twin

namespace AscendC {

template <typename... Args>
inline void printf(const char* format, const Args&... args) {
    twin::Print(format, args...);
}

template <typename... Args>
inline void PRINTF(const char* format, const Args&... args) {
    twin::Print(format, args...);
}

}  // namespace AscendC

// assert(condition [, format, ...]), as the toolkit's kernel headers redefine it. ASCENDC_DUMP=0
// turns it off, as it does there.
#undef assert
#if defined(ASCENDC_DUMP) && ASCENDC_DUMP == 0
#define assert(...) static_cast<void>(0)
#else
#define assert(condition, ...)  \
    ((condition)                \
         ? static_cast<void>(0) \
         : ::twin::FailAssertion(#condition, ::twin::Location::Here() __VA_OPT__(, ) __VA_ARGS__))
#endif

#ifndef ASSERT
#define ASSERT(condition)               \
    ((condition) ? static_cast<void>(0) \
                 : ::twin::FailAssertion(#condition, ::twin::Location::Here()))
#endif

/// The newer name.
#define ascendc_assert(...) assert(__VA_ARGS__)

/// Runs `behavior` first, usually a KERNEL_LOG.
#define ASCENDC_ASSERT(condition, behavior)                              \
    do {                                                                 \
        if (!(condition)) {                                              \
            behavior;                                                    \
            ::twin::FailAssertion(#condition, ::twin::Location::Here()); \
        }                                                                \
    } while (0)

#define ASCENDC_DEBUG_ASSERT(condition, ...) assert(condition __VA_OPT__(, ) __VA_ARGS__)

#define KERNEL_LOG(level, format, ...) KERNEL_LOG_##level(format __VA_OPT__(, ) __VA_ARGS__)
#define KERNEL_LOG_KERNEL_DEBUG(...) \
    ::twin::KernelLog("DEBUG", ::twin::Location::Here(), __VA_ARGS__)
#define KERNEL_LOG_KERNEL_INFO(...) ::twin::KernelLog("INFO", ::twin::Location::Here(), __VA_ARGS__)
#define KERNEL_LOG_KERNEL_WARN(...) ::twin::KernelLog("WARN", ::twin::Location::Here(), __VA_ARGS__)
#define KERNEL_LOG_KERNEL_ERROR(...) \
    ::twin::KernelLog("ERROR", ::twin::Location::Here(), __VA_ARGS__)
