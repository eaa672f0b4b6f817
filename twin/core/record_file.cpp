// SPDX-License-Identifier: Apache-2.0
#include "core/record_file.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace twin {

File OpenAppend(const std::string& path) {
    File file(std::fopen(path.c_str(), "a"));
    if (file == nullptr) {
        throw std::runtime_error("cannot open " + path + " for writing");
    }
    return file;
}

void Finish(File file, const std::string& path) {
    const bool failed = std::ferror(file.get()) != 0;
    if (std::fclose(file.release()) != 0 || failed) {
        throw std::runtime_error(path + " is incomplete: " + std::strerror(errno) +
                                 "\n  try: a disk with room for it");
    }
}

std::string JsonText(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        char escaped[8];
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
            quoted += escaped;
        } else {
            quoted += c;
        }
    }
    return quoted + "\"";
}

}  // namespace twin
