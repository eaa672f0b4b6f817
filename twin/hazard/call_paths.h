// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/core.h"
#include "hazard/access.h"

namespace twin::hazard {

/// The source lines of return addresses, which all cores of a launch look up.
class CallLines {
public:
    /// Returns the line of the call before the return address, then the lines of the calls that
    /// were inlined there, innermost first.
    std::vector<Location> Of(uintptr_t returnAddress);

private:
    std::mutex mutex_;
    std::unordered_map<uintptr_t, std::vector<Location>> known_;
};

/// Tracks from where a core's kernel has called the functions that contain its Ascend C calls. A
/// path is the list of return addresses in the kernel's code. The frame pointers on the core's
/// stack give the path, so each instruction costs little; source lines are read for findings only.
class CallPaths {
public:
    explicit CallPaths(std::shared_ptr<CallLines> lines) : lines_(std::move(lines)) {}

    /// Notes the path of the current instruction. Call it on the core's own thread.
    void Note(const Access& access);
    /// Returns the lines that have called the function with this access: one line, or several if
    /// the path of this access is no longer known. The result is empty for the kernel itself.
    std::vector<Location> CallersOf(const Access& access) const;
    /// Returns the lines of all callers of the function with this call.
    std::vector<Location> CallersOf(uint32_t site) const;
    /// Returns true if messages about a call in the source should name the callers: so far its
    /// function has been called at several lines, or from another file.
    bool TellsCallers(uint32_t site) const;
    /// Returns the line in another file that has called the function with the current instruction.
    std::vector<Location> CallersNow() const;
    /// Frees the paths of single accesses. The paths of each call in the source remain.
    void End() { recent_ = {}; }

private:
    using Path = std::vector<uintptr_t>;
    struct Recent {
        uint32_t sequence = UINT32_MAX;
        uint32_t path = 0;
    };
    /// The innermost line of the kernel's own code, and the line that has called its function.
    struct Ends {
        Location line;
        Location caller;
    };
    static constexpr uint32_t kRecent = 4096;  ///< number of accesses whose own path is known
    static constexpr size_t kMostPaths = 8;    ///< paths that are kept for a call in the source

    std::vector<Ends> EndsOf(uint32_t site) const;
    static Path Walk();
    uint32_t CurrentPath();
    Ends EndsOf(const Path& path) const;

    std::shared_ptr<CallLines> lines_;
    std::unordered_map<uint64_t, uint32_t> numbers_;  ///< indexed by the hash of a path
    std::vector<Path> paths_;
    std::vector<std::vector<uint32_t>> ofSite_;  ///< numbers of the paths of each site
    std::vector<Recent> recent_;
};

}  // namespace twin::hazard
