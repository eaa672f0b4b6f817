// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYS_PRINTF_H
#define TWIN_DEVICE_SYS_PRINTF_H

#include <cstdio>

#include "core/core.h"
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

template <typename... Args>
inline void Print(const char* format, const Args&... args) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::fprintf(stdout, format, PrintArgument(args)...);
#pragma GCC diagnostic pop
    std::fflush(stdout);
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
