// SPDX-License-Identifier: Apache-2.0
#include "core/sections.h"

#include <link.h>

#include <fstream>

namespace twin {
namespace {

template <typename T>
bool ReadAt(std::ifstream& file, uint64_t offset, T* items, size_t count) {
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(reinterpret_cast<char*>(items), static_cast<std::streamsize>(count * sizeof(T)));
    return file.good();
}

}  // namespace

std::vector<Section> SectionsOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    ElfW(Ehdr) header;
    if (!ReadAt(file, 0, &header, 1) || header.e_shentsize != sizeof(ElfW(Shdr)) ||
        header.e_shstrndx >= header.e_shnum) {
        return {};
    }
    std::vector<ElfW(Shdr)> sections(header.e_shnum);
    if (!ReadAt(file, header.e_shoff, sections.data(), sections.size())) {
        return {};
    }
    const ElfW(Shdr)& table = sections[header.e_shstrndx];
    std::string text(table.sh_size, '\0');
    if (text.empty() || !ReadAt(file, table.sh_offset, &text[0], text.size())) {
        return {};
    }
    std::vector<Section> found;
    for (const ElfW(Shdr) & section : sections) {
        if (section.sh_name < text.size()) {
            found.push_back({text.c_str() + section.sh_name, section.sh_offset, section.sh_size});
        }
    }
    return found;
}

std::string ContentOf(const std::string& path, const Section& section) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file || static_cast<uint64_t>(file.tellg()) < section.offset + section.bytes) {
        return "";
    }
    std::string content(section.bytes, '\0');
    return section.bytes != 0 && ReadAt(file, section.offset, &content[0], content.size()) ? content
                                                                                           : "";
}

}  // namespace twin
