// SPDX-License-Identifier: Apache-2.0
#include "core/source_line.h"

#include <dlfcn.h>
#include <link.h>

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/inlined_calls.h"
#include "core/line_table.h"

namespace twin {
namespace {

/// Keeps the text for as long as the process exists, because a Location holds only a pointer.
const char* Kept(const std::string& text) {
    static std::mutex mutex;
    static auto* const kept = new std::set<std::string>;
    const std::lock_guard<std::mutex> lock(mutex);
    return kept->insert(text).first->c_str();
}

}  // namespace

LoadedFile FileOf(const void* address) {
    Dl_info info;
    link_map* map = nullptr;
    if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) {
        return {"/proc/self/exe", 0};
    }
    // The loader has an empty name for the program itself.
    return {map->l_name[0] != '\0' ? map->l_name : "/proc/self/exe", map->l_addr};
}

std::vector<Location> SourceLinesOf(const void* instruction) {
    const LoadedFile loaded = FileOf(instruction);
    const DebugSections sections(loaded.path);
    const uint64_t address = reinterpret_cast<uintptr_t>(instruction) - loaded.offset;
    std::string file;
    uint32_t line = 0;
    for (uint64_t at = 0; at < sections.lines.size();) {
        LineTable table(sections, at);
        if (table.Find(address, &file, &line)) {
            std::vector<Location> lines = {Location{Kept(file), "", line}};
            for (const InlinedCall& call : InlinedCallsAt(loaded.path, sections, address)) {
                lines.push_back(Location{Kept(call.file), "", call.line});
            }
            return lines;
        }
        at = table.End();
    }
    return {};
}

Location SourceLineOf(const void* instruction) {
    const std::vector<Location> lines = SourceLinesOf(instruction);
    return lines.empty() ? Location() : lines.front();
}

}  // namespace twin
