// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/core.h"
#include "device/sys/format.h"

namespace twin {

/// Ends the kernel with T442: the message has the condition and the kernel's own text. In host code
/// the function prints the message and aborts, as <assert.h> does.
[[noreturn]] TWIN_API void AssertionFailed(const char* condition, Location where,
                                           const char* format, PrintValues values);

template <typename... Args>
[[noreturn]] inline void TwinFailAssertion(const char* condition, Location where,
                                           const char* format = "", Args... args) {
    const PrintValue values[] = {PrintArgument(args)..., {}};
    AssertionFailed(condition, where, format, {values, sizeof...(args)});
}

/// Prints a line with the level, the core, the source location and the text.
TWIN_API void PrintLog(const char* level, Location where, const char* format, PrintValues values);

template <typename... Args>
inline void TwinKernelLog(const char* level, Location where, const char* format, Args... args) {
    const PrintValue values[] = {PrintArgument(args)..., {}};
    PrintLog(level, where, format, {values, sizeof...(args)});
}

}  // namespace twin

namespace AscendC {

template <typename... Args>
inline void printf(const char* format, Args... args) {
    twin::Print(format, args...);
}

template <typename... Args>
inline void PRINTF(const char* format, Args... args) {
    twin::Print(format, args...);
}

}  // namespace AscendC

#define TWIN_ASSERTION(text, condition, ...) \
    ((condition) ? static_cast<void>(0)      \
                 : ::twin::TwinFailAssertion(text, ::twin::TwinHere() __VA_OPT__(, ) __VA_ARGS__))
// assert(condition [, format, ...]), as the toolkit's kernel headers redefine it. ASCENDC_DUMP=0
// turns it off, as in the toolkit.
#undef assert
#if defined(ASCENDC_DUMP) && ASCENDC_DUMP == 0
#define assert(...) static_cast<void>(0)
#else
#define assert(condition, ...) TWIN_ASSERTION(#condition, condition __VA_OPT__(, ) __VA_ARGS__)
#endif

// As in the toolkit's headers: an assertion in unit tests of kernels, otherwise empty.
#ifdef __CCE_KT_TEST__
#undef ASSERT
#define ASSERT(condition) assert(condition)
#elif !defined(ASSERT)
#define ASSERT(condition)
#endif

/// The newer name of assert. In unit tests, it works behind <assert.h>, too.
#if defined(ASCENDC_DUMP) && ASCENDC_DUMP == 0
#define ascendc_assert(...) static_cast<void>(0)
#else
#define ascendc_assert(condition, ...) \
    TWIN_ASSERTION(#condition, condition __VA_OPT__(, ) __VA_ARGS__)
#endif

/// Runs `behavior`, usually a KERNEL_LOG call, and ends the kernel if the condition is false.
#define ASCENDC_ASSERT(condition, behavior)                            \
    do {                                                               \
        if (!(condition)) {                                            \
            behavior;                                                  \
            ::twin::TwinFailAssertion(#condition, ::twin::TwinHere()); \
        }                                                              \
    } while (0)

#define ASCENDC_DEBUG_ASSERT(condition, ...) assert(condition __VA_OPT__(, ) __VA_ARGS__)

#define KERNEL_LOG(level, format, ...) KERNEL_LOG_##level(format __VA_OPT__(, ) __VA_ARGS__)
#define KERNEL_LOG_KERNEL_DEBUG(...) ::twin::TwinKernelLog("DEBUG", ::twin::TwinHere(), __VA_ARGS__)
#define KERNEL_LOG_KERNEL_INFO(...) ::twin::TwinKernelLog("INFO", ::twin::TwinHere(), __VA_ARGS__)
#define KERNEL_LOG_KERNEL_WARN(...) ::twin::TwinKernelLog("WARN", ::twin::TwinHere(), __VA_ARGS__)
#define KERNEL_LOG_KERNEL_ERROR(...) ::twin::TwinKernelLog("ERROR", ::twin::TwinHere(), __VA_ARGS__)
