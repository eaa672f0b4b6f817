// SPDX-License-Identifier: Apache-2.0
#include "host/json_text.h"

#include <cmath>
#include <cstdio>

namespace twin::host {

std::string Quoted(const std::string& text) {
    std::string quoted = "\"";
    for (const char character : text) {
        const auto code = static_cast<unsigned char>(character);
        if (code < 0x20 || character == '"' || character == '\\') {
            char escaped[8];
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", code);
            quoted += escaped;
        } else {
            quoted += character;
        }
    }
    return quoted + "\"";
}

std::string Number(float value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(value));
    return std::isfinite(value) ? text : "null";
}

}  // namespace twin::host
