// SPDX-License-Identifier: Apache-2.0
#include "core/formatted.h"

#include <cstdio>

namespace twin {

int AppendFormatted(std::string* out, const char* format, va_list arguments) {
    char text[1024];  // long enough for most texts, so that they are formatted only once
    va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(text, sizeof(text), format, arguments);
    const auto bytes = static_cast<size_t>(length < 0 ? 0 : length);
    if (bytes < sizeof(text)) {
        out->append(text, bytes);
    } else {
        const size_t before = out->size();
        out->resize(before + bytes + 1);
        std::vsnprintf(&(*out)[before], bytes + 1, format, again);
        out->pop_back();  // the null character
    }
    va_end(again);
    return length;
}

std::string Formatted(const char* format, va_list arguments) {
    std::string text;
    AppendFormatted(&text, format, arguments);
    return text;
}

}  // namespace twin
