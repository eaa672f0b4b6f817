// SPDX-License-Identifier: Apache-2.0
#include "core/callers.h"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/source_line.h"

namespace twin {
namespace {

/// The header that calls the kernel, relative to the folder of the twin's headers.
constexpr char kExportHeader[] = "/core/kernel_export.h";

bool BeginsWith(const std::string& text, const std::string& begin) {
    return text.compare(0, begin.size(), begin) == 0;
}

}  // namespace

CodeRange OwnCode() {
    CodeRange own;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* to) {
            const auto here = reinterpret_cast<uintptr_t>(&OwnCode);
            for (uint32_t i = 0; i < info->dlpi_phnum; ++i) {
                const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
                const uintptr_t end = begin + info->dlpi_phdr[i].p_memsz;
                if (info->dlpi_phdr[i].p_type == PT_LOAD && begin <= here && here < end) {
                    *static_cast<CodeRange*>(to) = {begin, end};
                    return 1;
                }
            }
            return 0;
        },
        &own);
    return own;
}

bool CallEnds::InOtherFiles() const {
    return caller.line != 0 && std::strcmp(caller.file, line.file) != 0;
}

CallEnds EndsOf(std::vector<Location> lines) {
    const auto exported = std::find_if(lines.begin(), lines.end(), [](const Location& line) {
        const std::string file = line.file;
        return file.size() > std::strlen(kExportHeader) &&
               file.substr(file.size() - std::strlen(kExportHeader)) == kExportHeader;
    });
    CallEnds ends;
    if (exported == lines.end()) {
        return ends;
    }
    std::string headers = exported->file;
    headers.erase(headers.size() - std::strlen(kExportHeader) + 1);
    lines.erase(exported, lines.end());
    lines.erase(
        std::remove_if(lines.begin(), lines.end(),
                       [&headers](const Location& line) { return BeginsWith(line.file, headers); }),
        lines.end());
    // The last line is that of TWIN_EXPORT_KERNEL, which calls the kernel.
    if (lines.size() > 1) {
        ends.line = lines[0];
    }
    if (lines.size() > 2) {
        ends.caller = lines[1];
    }
    return ends;
}

Location CallerInAnotherFile(const Core& core) {
    std::vector<Location> lines;
    EachCall([&lines](uintptr_t address) {
        // The instruction before the return address is the call.
        const auto found = SourceLinesOf(reinterpret_cast<const void*>(address - 1));
        lines.insert(lines.end(), found.begin(), found.end());
    });
    const CallEnds ends = EndsOf(std::move(lines));
    // The error may be about an earlier call, whose function has returned.
    return ends.InOtherFiles() && ends.line.line == core.where.line ? ends.caller : Location();
}

}  // namespace twin
