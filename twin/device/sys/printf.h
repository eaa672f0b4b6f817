// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYS_PRINTF_H
#define TWIN_DEVICE_SYS_PRINTF_H

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

/// The text is made first, because the kernel's own pointers must not be followed while a lock is
/// held.
template <typename... Args>
inline void Print(const char* format, const Args&... args) {
    char text[1024];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = std::snprintf(text, sizeof(text), format, PrintArgument(args)...);
    if (length < 0) {
        return;
    }
    if (static_cast<size_t>(length) < sizeof(text)) {
        PrintFromCore(text, static_cast<size_t>(length));
        return;
    }
    std::string all(static_cast<size_t>(length) + 1, '\0');
    std::snprintf(&all[0], all.size(), format, PrintArgument(args)...);
#pragma GCC diagnostic pop
    PrintFromCore(all.data(), static_cast<size_t>(length));
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

#endif  // TWIN_DEVICE_SYS_PRINTF_H
