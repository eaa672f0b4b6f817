// SPDX-License-Identifier: Apache-2.0
// Writes to a file which bytes of global memory a launch wrote.
#include "core/coverage.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>
#include <vector>

#include "core/files.h"
#include "core/instruction.h"

namespace twin {
namespace {

/// Bytes of global memory from `begin` to `end` - 1, by their modelled device addresses.
struct Interval {
    uint64_t begin;
    uint64_t end;
};
using Intervals = std::vector<Interval>;

void SortByBegin(Intervals* all) {
    std::sort(all->begin(), all->end(),
              [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
}

/// Sorts the intervals, and joins intervals that overlap or meet.
void Join(Intervals* all) {
    SortByBegin(all);
    size_t kept = 0;
    for (const Interval& each : *all) {
        if (kept > 0 && each.begin <= (*all)[kept - 1].end) {
            (*all)[kept - 1].end = std::max((*all)[kept - 1].end, each.end);
        } else {
            (*all)[kept++] = each;
        }
    }
    all->resize(kept);
}

/// Returns the bytes that are in more than one interval. `all` must be sorted.
Intervals Overlaps(const Intervals& all) {
    Intervals found;
    uint64_t end = 0;
    for (const Interval& each : all) {
        if (each.begin < end) {
            found.push_back({each.begin, std::min(each.end, end)});
        }
        end = std::max(end, each.end);
    }
    Join(&found);
    return found;
}

/// The bytes that one core has written. Most kernels write tile after tile. Such writes meet, so
/// they become few intervals.
class WrittenBytes {
public:
    void Add(uint64_t begin, uint64_t end) {
        if (!all_.empty() && begin >= all_.back().begin && begin <= all_.back().end) {
            all_.back().end = std::max(all_.back().end, end);
            return;
        }
        if (all_.size() >= limit_) {
            Join(&all_);
            limit_ = std::max(kFirstLimit, 2 * all_.size());
        }
        all_.push_back({begin, end});
    }
    const Intervals& Joined() {
        Join(&all_);
        return all_;
    }

private:
    static constexpr size_t kFirstLimit = 1U << 14;

    Intervals all_;
    size_t limit_ = kFirstLimit;
};

class CoreWrites : public CoreRecorder {
public:
    void OnInstruction(const Instruction& instruction) override {
        for (const ByteRange& range : instruction.ranges) {
            if (range.memory != Memory::Gm || !range.write) {
                continue;
            }
            WrittenBytes& bytes = instruction.atomic == AtomicOp::None ? plain : atomic;
            EachRun(range, [&bytes](uint64_t begin, uint64_t end) { bytes.Add(begin, end); });
        }
    }
    WrittenBytes plain;
    WrittenBytes atomic;
};

/// Returns the parts of the intervals that are inside a range, as a JSON list of [begin, end].
/// Both numbers are offsets in the range, in bytes.
std::string PartsIn(const GmRange& range, const Intervals& all) {
    std::string text;
    for (const Interval& each : all) {
        const uint64_t begin = std::max(each.begin, range.device);
        const uint64_t end = std::min(each.end, range.device + range.bytes);
        if (begin < end) {
            text += (text.empty() ? "[" : ", [") + std::to_string(begin - range.device) + ", " +
                    std::to_string(end - range.device) + "]";
        }
    }
    return "[" + text + "]";
}

class CoverageObserver : public Observer {
public:
    explicit CoverageObserver(const std::string& path) : path_(path), file_(OpenAppend(path)) {}

    CoreRecorder* Recorder(uint32_t, uint32_t, CoreKind) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        return cores_.emplace_back(std::make_unique<CoreWrites>()).get();
    }

    void OnEnd(const LaunchInfo& info) override {
        Intervals written;
        Intervals plain;
        for (const auto& core : cores_) {
            const Intervals& own = core->plain.Joined();
            const Intervals& added = core->atomic.Joined();
            plain.insert(plain.end(), own.begin(), own.end());
            written.insert(written.end(), own.begin(), own.end());
            written.insert(written.end(), added.begin(), added.end());
        }
        Join(&written);
        SortByBegin(&plain);
        const Intervals shared = Overlaps(plain);
        Join(&plain);
        std::string arrays;
        for (const GmRange& range : info.gm) {
            const std::string parts = PartsIn(range, written);
            if (parts != "[]") {
                arrays += (arrays.empty() ? "" : ", ") + JsonText(range.label) +
                          ": {\"written\": " + parts + ", \"plain\": " + PartsIn(range, plain) +
                          ", \"shared\": " + PartsIn(range, shared) + "}";
            }
        }
        std::fprintf(file_.get(), "{\"kernel\": %s, \"arrays\": {%s}}\n",
                     JsonText(info.kernel).c_str(), arrays.c_str());
        Finish(std::move(file_), path_);
    }

private:
    std::string path_;
    File file_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<CoreWrites>> cores_;
};

}  // namespace

std::unique_ptr<Observer> MakeCoverageObserver(const std::string& path) {
    return std::make_unique<CoverageObserver>(path);
}

}  // namespace twin
