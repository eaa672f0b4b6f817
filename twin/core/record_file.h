// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_RECORD_FILE_H
#define TWIN_CORE_RECORD_FILE_H

#include <cstdio>
#include <memory>
#include <string>

namespace twin {

struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

/// Throws std::runtime_error if the file cannot be opened.
File OpenAppend(const std::string& path);
/// Throws if the written data are not on the disk.
void Finish(File file, const std::string& path);
/// Writes the text in quotes, escaped.
std::string JsonText(const std::string& text);

}  // namespace twin

#endif  // TWIN_CORE_RECORD_FILE_H
