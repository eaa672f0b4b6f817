// SPDX-License-Identifier: Apache-2.0
#include "device/sys/printf.h"

#include <cstdarg>

// The C library's functions as kernels are linked to them (--wrap): overload resolution prefers its
// printf if only a text is printed, and compilers convert that to puts.
extern "C" {

TWIN_API int __wrap_printf(const char* format, ...) {
    va_list first;
    va_list second;
    va_start(first, format);
    va_copy(second, first);
    const int length = std::vsnprintf(nullptr, 0, format, first);
    if (length > 0) {
        std::string text(static_cast<size_t>(length) + 1, '\0');
        std::vsnprintf(&text[0], text.size(), format, second);
        twin::PrintFromCore(text.data(), static_cast<size_t>(length));
    }
    va_end(second);
    va_end(first);
    return length;
}

TWIN_API int __wrap_puts(const char* text) {
    const std::string line = std::string(text) + "\n";
    twin::PrintFromCore(line.data(), line.size());
    return 1;
}

TWIN_API int __wrap_putchar(int character) {
    const char one = static_cast<char>(character);
    twin::PrintFromCore(&one, 1);
    return static_cast<unsigned char>(one);
}

}  // extern "C"
