// SPDX-License-Identifier: Apache-2.0
#include "hazard/call_paths.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/callers.h"
#include "core/source_line.h"

namespace twin::hazard {
namespace {

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

CallEnds CallPaths::EndsOf(const Path& path) const {
    std::vector<Location> lines;
    for (const uintptr_t address : path) {
        const std::vector<Location> found = lines_->Of(address);
        lines.insert(lines.end(), found.begin(), found.end());
    }
    return twin::EndsOf(std::move(lines));
}

/// Returns the different callers of the function that contains the call with number `site`.
std::vector<CallEnds> CallPaths::EndsOf(uint32_t site) const {
    std::vector<CallEnds> found;
    for (const uint32_t path : site < ofSite_.size() ? ofSite_[site] : std::vector<uint32_t>()) {
        const CallEnds ends = EndsOf(paths_[path]);
        const bool known = std::any_of(found.begin(), found.end(), [&ends](const CallEnds& each) {
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
    for (const CallEnds& ends : EndsOf(site)) {
        callers.push_back(ends.caller);
    }
    return callers;
}

std::vector<Location> CallPaths::CallersOf(const Access& access) const {
    if (recent_.empty() || recent_[access.sequence % kRecent].sequence != access.sequence) {
        return CallersOf(access.site);
    }
    const CallEnds ends = EndsOf(paths_[recent_[access.sequence % kRecent].path]);
    return ends.caller.line == 0 ? std::vector<Location>() : std::vector<Location>{ends.caller};
}

bool CallPaths::TellsCallers(uint32_t site) const {
    const std::vector<CallEnds> found = EndsOf(site);
    return found.size() > 1 || std::any_of(found.begin(), found.end(), [](const CallEnds& ends) {
               return ends.InOtherFiles();
           });
}

std::vector<Location> CallPaths::CallersNow() const {
    const CallEnds ends = EndsOf(Walk());
    return ends.InOtherFiles() ? std::vector<Location>{ends.caller} : std::vector<Location>();
}

}  // namespace twin::hazard
