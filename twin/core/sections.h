// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_SECTIONS_H
#define TWIN_CORE_SECTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace twin {

/// A section of a shared object.
struct Section {
    std::string name;
    uint64_t offset = 0;
    uint64_t bytes = 0;
};

/// Empty if the file has no table of sections.
std::vector<Section> SectionsOf(const std::string& path);
/// Empty if the file ends before the section.
std::string ContentOf(const std::string& path, const Section& section);

}  // namespace twin

#endif  // TWIN_CORE_SECTIONS_H
