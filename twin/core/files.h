// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace twin {

struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

/// Opens the file for appending; throws std::runtime_error if the file cannot be opened.
File OpenAppend(const std::string& path);
/// Closes the file; throws std::runtime_error if not all data could be written.
void Finish(File file, const std::string& path);
/// Returns the text in quotes, with escapes, as in JSON.
std::string JsonText(const std::string& text);

struct Section {
    std::string name;
    uint64_t offset = 0;
    uint64_t bytes = 0;
};

/// Returns the sections of an ELF file; empty if it has no section table.
std::vector<Section> SectionsOf(const std::string& path);
/// Returns the content of the section; empty if the file ends before the section.
std::string ContentOf(const std::string& path, const Section& section);

}  // namespace twin
