// SPDX-License-Identifier: Apache-2.0
#include "hazard/call_paths.h"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "core/source_line.h"
#include "core/task.h"

namespace twin::hazard {
namespace {

/// The header that calls the kernel, relative to the folder of the twin's headers.
constexpr char kExportHeader[] = "/core/kernel_export.h";

struct Code {
    uintptr_t begin = 0;
    uintptr_t end = 0;
};

/// Returns the range of addresses at which the code of the twin's own library is loaded.
Code OwnCode() {
    Code own;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* to) {
            const auto here = reinterpret_cast<uintptr_t>(&OwnCode);
            for (uint32_t i = 0; i < info->dlpi_phnum; ++i) {
                const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
                const uintptr_t end = begin + info->dlpi_phdr[i].p_memsz;
                if (info->dlpi_phdr[i].p_type == PT_LOAD && begin <= here && here < end) {
                    *static_cast<Code*>(to) = {begin, end};
                    return 1;
                }
            }
            return 0;
        },
        &own);
    return own;
}

/// What a function stores at its frame pointer, on x86-64 and on aarch64.
struct Frame {
    const Frame* caller;
    uintptr_t returnAddress;
};

/// Calls look(returnAddress) for each call in the kernel's code that has not returned yet on this
/// core, innermost first. Code without frame pointers may end the list early or add wrong
/// addresses. The function never reads outside the core's stack.
template <typename Look>
__attribute__((always_inline)) inline void EachCall(Look&& look) {
    static const Code own = OwnCode();
    constexpr int kMost = 64;
    const Core* const core = SelfOrNull();
    if (core == nullptr || core->task == nullptr) {
        return;  // not on the stack of a core
    }
    const Stack& stack = core->task->storage->stack;
    const auto end = reinterpret_cast<uintptr_t>(stack.Base()) + Stack::Bytes();
    const auto* frame = static_cast<const Frame*>(__builtin_frame_address(0));
    for (int i = 0; i < kMost; ++i) {
        const uintptr_t address = frame->returnAddress;
        if (address < own.begin || address >= own.end) {
            look(address);
        }
        const Frame* const caller = frame->caller;
        const auto at = reinterpret_cast<uintptr_t>(caller);
        if (caller <= frame || at % sizeof(uintptr_t) != 0 || at + sizeof(Frame) > end) {
            return;
        }
        frame = caller;
    }
}

bool BeginsWith(const std::string& text, const std::string& begin) {
    return text.compare(0, begin.size(), begin) == 0;
}

bool SameLine(const Location& a, const Location& b) {
    return a.line == b.line && std::strcmp(a.file, b.file) == 0;
}

}  // namespace

std::vector<Location> CallLines::Of(uintptr_t returnAddress) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto entry = known_.emplace(returnAddress, std::vector<Location>());
    if (entry.second) {
        // The instruction before the return address is the call.
        entry.first->second = SourceLinesOf(reinterpret_cast<const void*>(returnAddress - 1));
    }
    return entry.first->second;
}

CallPaths::Path CallPaths::Walk() {
    Path path;
    EachCall([&path](uintptr_t address) { path.push_back(address); });
    return path;
}

uint32_t CallPaths::CurrentPath() {
    uint64_t hash = 0;
    EachCall([&hash](uintptr_t address) { hash = (hash ^ address) * 0x9E3779B97F4A7C15ULL; });
    if (hash != lastHash_ || paths_.empty()) {
        const auto entry = numbers_.emplace(hash, static_cast<uint32_t>(paths_.size()));
        if (entry.second) {
            paths_.push_back(Walk());
        }
        lastHash_ = hash;
        last_ = entry.first->second;
    }
    return last_;
}

void CallPaths::Note(const Access& access) {
    const uint32_t path = CurrentPath();
    const size_t at = access.sequence % kRecent;
    if (recent_.size() <= at) {
        recent_.resize(std::min<size_t>(kRecent, 2 * at + 64));
    }
    recent_[at] = {access.sequence, path};
    if (ofSite_.size() <= access.site) {
        ofSite_.resize(access.site + size_t{1});
    }
    std::vector<uint32_t>& known = ofSite_[access.site];
    if (known.size() < kMostPaths && std::find(known.begin(), known.end(), path) == known.end()) {
        known.push_back(path);
    }
}

CallPaths::Ends CallPaths::EndsOf(const Path& path) const {
    std::vector<Location> lines;
    for (const uintptr_t address : path) {
        const std::vector<Location> found = lines_->Of(address);
        lines.insert(lines.end(), found.begin(), found.end());
    }
    const auto exported = std::find_if(lines.begin(), lines.end(), [](const Location& line) {
        const std::string file = line.file;
        return file.size() > std::strlen(kExportHeader) &&
               file.substr(file.size() - std::strlen(kExportHeader)) == kExportHeader;
    });
    Ends ends;
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

/// Returns the different callers of the function that contains the call with number `site`.
std::vector<CallPaths::Ends> CallPaths::EndsOf(uint32_t site) const {
    std::vector<Ends> found;
    for (const uint32_t path : site < ofSite_.size() ? ofSite_[site] : std::vector<uint32_t>()) {
        const Ends ends = EndsOf(paths_[path]);
        const bool known = std::any_of(found.begin(), found.end(), [&ends](const Ends& each) {
            return SameLine(each.caller, ends.caller);
        });
        if (ends.caller.line != 0 && !known) {
            found.push_back(ends);
        }
    }
    return found;
}

std::vector<Location> CallPaths::CallersOf(uint32_t site) const {
    std::vector<Location> callers;
    for (const Ends& ends : EndsOf(site)) {
        callers.push_back(ends.caller);
    }
    return callers;
}

std::vector<Location> CallPaths::CallersOf(const Access& access) const {
    if (recent_.empty() || recent_[access.sequence % kRecent].sequence != access.sequence) {
        return CallersOf(access.site);
    }
    const Ends ends = EndsOf(paths_[recent_[access.sequence % kRecent].path]);
    return ends.caller.line == 0 ? std::vector<Location>() : std::vector<Location>{ends.caller};
}

bool CallPaths::TellsCallers(uint32_t site) const {
    const std::vector<Ends> found = EndsOf(site);
    return found.size() > 1 || std::any_of(found.begin(), found.end(), [](const Ends& ends) {
               return std::strcmp(ends.caller.file, ends.line.file) != 0;
           });
}

std::vector<Location> CallPaths::CallersNow() const {
    const Ends ends = EndsOf(Walk());
    const bool elsewhere =
        ends.caller.line != 0 && std::strcmp(ends.caller.file, ends.line.file) != 0;
    return elsewhere ? std::vector<Location>{ends.caller} : std::vector<Location>();
}

}  // namespace twin::hazard
