// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions that samples and unit tests in the toolkit's style often have in a header of this name.
// The folder is last on the include path, so that a test's own header is found first.
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>

#define INFO_LOG(format, ...) std::fprintf(stdout, "[INFO]  " format "\n", ##__VA_ARGS__)
#define WARN_LOG(format, ...) std::fprintf(stdout, "[WARN]  " format "\n", ##__VA_ARGS__)
#define ERROR_LOG(format, ...) std::fprintf(stdout, "[ERROR]  " format "\n", ##__VA_ARGS__)

/// Reads a whole file of 1 to `bufferSize` bytes and sets `fileSize`; returns false after an error.
inline bool ReadFile(const std::string& filePath, size_t& fileSize, void* buffer,
                     size_t bufferSize) {
    std::ifstream file(filePath, std::ios::binary | std::ios::ate);
    const std::streamoff bytes = file ? static_cast<std::streamoff>(file.tellg()) : -1;
    if (bytes <= 0) {
        ERROR_LOG("%s: no such file, or an empty one", filePath.c_str());
        return false;
    }
    if (buffer == nullptr || static_cast<size_t>(bytes) > bufferSize) {
        ERROR_LOG("%s: has %lld bytes, the buffer %zu", filePath.c_str(),
                  static_cast<long long>(bytes), buffer == nullptr ? 0 : bufferSize);
        return false;
    }
    file.seekg(0);
    file.read(static_cast<char*>(buffer), bytes);
    fileSize = static_cast<size_t>(bytes);
    return file.good();
}

/// Overload for a `fileSize` that is a temporary value.
inline bool ReadFile(const std::string& filePath, size_t&& fileSize, void* buffer,
                     size_t bufferSize) {
    return ReadFile(filePath, fileSize, buffer, bufferSize);
}

inline bool WriteFile(const std::string& filePath, const void* buffer, size_t size) {
    std::ofstream file(filePath, std::ios::binary | std::ios::trunc);
    if (buffer == nullptr ||
        !file.write(static_cast<const char*>(buffer), static_cast<std::streamsize>(size))) {
        ERROR_LOG("%s: %s", filePath.c_str(),
                  buffer == nullptr ? "there is nothing to write" : "cannot be written");
        return false;
    }
    return true;
}
