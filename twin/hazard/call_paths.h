// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/callers.h"
#include "core/core.h"
#include "hazard/access.h"

namespace twin::hazard {

/// Finds the source lines of return addresses. All cores of a launch use the same object.
class CallLines {
public:
    /// Returns the line of the call that returns to this address. If the compiler has inlined the
    /// function that contains the call, the lines of the inlined calls follow, innermost first.
    std::vector<Location> Of(uintptr_t returnAddress);

private:
    std::mutex mutex_;
    std::unordered_map<uintptr_t, std::vector<Location>> known_;
};

/// Tracks, for one core, which lines of the kernel have called the functions that contain Ascend C
/// calls. A path is the list of return addresses in the kernel's code at one instruction. Paths are
/// read from the frame pointers on the core's stack, which is fast. Source lines are searched for
/// findings only, because this is slow.
class CallPaths {
public:
    explicit CallPaths(std::shared_ptr<CallLines> lines) : lines_(std::move(lines)) {}

    /// Notes the path of the current instruction. Call it on the core's own thread.
    void Note(const Access& access);
    /// Returns the line that has called the function that contains this access. If the path of the
    /// access is no longer stored, returns the lines of all callers of the function. The result is
    /// empty if the access is in the kernel function itself.
    std::vector<Location> CallersOf(const Access& access) const;
    /// Returns the lines of all callers of the function that contains the call with number `site`.
    std::vector<Location> CallersOf(uint32_t site) const;
    /// Returns true if messages about the call with number `site` must name callers: the function
    /// that contains the call has been called at several lines so far, or from another file.
    bool TellsCallers(uint32_t site) const;
    /// Returns the line that has called the function of the current instruction, if this line is in
    /// another file than the function; otherwise an empty list.
    std::vector<Location> CallersNow() const;
    /// Frees the paths of single accesses. The paths of each call in the source remain.
    void End() { recent_ = {}; }

private:
    using Path = std::vector<uintptr_t>;
    struct Recent {
        uint32_t sequence = UINT32_MAX;
        uint32_t path = 0;
    };
    static constexpr uint32_t kRecent = 4096;  ///< number of latest accesses with a stored path
    static constexpr size_t kMostPaths = 8;    ///< largest number of paths stored for a site

    std::vector<CallEnds> EndsOf(uint32_t site) const;
    static Path Walk();
    uint32_t CurrentPath();
    CallEnds EndsOf(const Path& path) const;

    std::shared_ptr<CallLines> lines_;
    std::unordered_map<uint64_t, uint32_t> numbers_;  ///< indices in paths_, by the hash of a path
    uint64_t lastHash_ = 0;  ///< hash of the path of the latest instruction
    uint32_t last_ = 0;      ///< index of this path in paths_
    std::vector<Path> paths_;
    std::vector<std::vector<uint32_t>> ofSite_;  ///< for each site, indices in paths_
    std::vector<Recent> recent_;
};

}  // namespace twin::hazard
