// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/data_cache.h"
#include "hazard/replay.h"

namespace twin::hazard {
namespace {

/// Returns the stage of an access to a sum in GM: 0 clears it, 1 adds to it atomically, 2 reads it.
/// A finding names the access of the earlier stage first.
uint32_t StageOfSum(const CoreAccess& access) {
    return access.access.kind != kPlain ? 1 : (access.write ? 0 : 2);
}

/// Returns true if a core with this clock knows that the access has ended.
bool HasEnded(const CoreAccess& before, const LaunchClock& clock) {
    return clock[before.core].Covers(before.access.lane, before.access.index);
}

/// Returns true if the reader synchronised with the writer after the scalar write, but the written
/// bytes were still in the writer's data cache.
bool IsLate(const CoreAccess& write, const CoreAccess& read, const LaunchClocks& clocks) {
    return write.write && write.cached == Cached::Late &&
           (*clocks.Of(read.core))[write.core].ended[kScalarRead] >= write.scalarEpoch;
}

}  // namespace

void OrderedSites::Note(const CoreAccess& first, const CoreAccess& second) {
    const Pair64 pair = Pair(first, second);
    Pair64& recent = recent_[Hash()(pair) >> 54U];
    if (recent != pair && pairs_.size() < kMost) {
        recent = pair;
        pairs_.insert(pair);
    }
}

void RaceDetector::Check(uint32_t core, const GmAccess& access, const LaunchClocks& clocks,
                         const WordHandover& words) {
    if (access.cached == Cached::Load) {
        LoadLine(core, access.begin, clocks.Of(core));
        return;
    }
    const CoreAccess now{core,
                         access.access,
                         access.write,
                         access.cached,
                         access.scalarEpoch,
                         access.word,
                         RoundOf(core, access.access)};
    memory_.Touch(access.begin, access.runs,
                  [&](const Accesses& before, uint64_t begin, const RunEnd& end, Accesses* after) {
                      return Compare(before, now, clocks, words, begin, end, after);
                  });
}

uint32_t RaceDetector::RoundOf(uint32_t core, const Access& access) {
    std::vector<uint32_t>& rounds = rounds_[core];
    if (access.site >= rounds.size()) {
        rounds.resize(access.site + uint32_t{1});
    }
    return rounds[access.site]++;
}

Change RaceDetector::Compare(const Accesses& before, const CoreAccess& now,
                             const LaunchClocks& clocks, const WordHandover& words, uint64_t begin,
                             const RunEnd& end, Accesses* after) {
    const LaunchClock& clock = *clocks.Of(now.core);
    const bool plainWrite =
        now.write && now.access.kind == kPlain && now.cached != Cached::WholeLine;
    after->clear();
    for (const CoreAccess& access : before) {
        const bool other = plainWrite && access.core != now.core;
        const bool conflicts =
            (access.write || now.write) && !clocks.Together(access.core, now.core);
        const bool ended = (other || conflicts) && HasEnded(access, clock);
        if (conflicts) {
            if (ended) {
                ordered_.Note(access, now);
                JudgeLine(access, now, begin, end);
            } else if (!words.HandedOver(access, now)) {
                Judge(access, now, clocks, begin, end);
            }
        }
        const bool same = access.core == now.core && access.access.lane == now.access.lane &&
                          access.write == now.write && access.access.kind == now.access.kind &&
                          access.cached == now.cached;
        // Ended accesses are dropped: a later access that races with them also races with `now`.
        if (!same && !(other && ended)) {
            after->push_back(access);
        }
    }
    after->push_back(now);
    return after->size() == 1 ? Change::Shared : Change::Own;
}

/// Reports a race. Neither access is first, so the finding names them in the order of their cores.
void RaceDetector::Judge(const CoreAccess& before, const CoreAccess& now,
                         const LaunchClocks& clocks, uint64_t begin, const RunEnd& end) {
    const auto place = [&clocks](const CoreAccess& access) {
        return std::make_pair(clocks.At(access.core).core, access.core);
    };
    const bool turned = place(now) < place(before);
    JudgeUnordered(turned ? now : before, turned ? before : now, clocks, begin, end);
}

/// Reports a stale read (T312) or a lost update (T313) if the core loaded its cache line before the
/// other core's write had ended.
void RaceDetector::JudgeLine(const CoreAccess& write, const CoreAccess& now, uint64_t begin,
                             const RunEnd& end) {
    constexpr uint64_t kLine = DataCache::kLineBytes;
    const bool stale = now.cached == Cached::Read;
    const bool lost = now.cached == Cached::WholeLine;
    if ((!stale && !lost) || !write.write || write.cached == Cached::WholeLine) {
        return;
    }
    const auto& lines = lines_[now.core];
    const auto line = lines.find(begin / kLine * kLine);
    if (line != lines.end() && !HasEnded(write, *line->second)) {
        report_({stale ? "T312" : "T313", stale ? "stale read" : "lost update", begin, end - begin,
                 write, now, false, false});
    }
}

void RaceDetector::JudgeUnordered(const CoreAccess& first, const CoreAccess& second,
                                  const LaunchClocks& clocks, uint64_t begin, const RunEnd& end) {
    const auto told = [&clocks](const CoreAccess& from, const CoreAccess& to) {
        return (*clocks.Of(to.core))[from.core].ended[kProgram] > from.access.sequence;
    };
    const auto found = [&](const char* code, const char* kind, bool turned = false) {
        const CoreAccess& one = turned ? second : first;
        const CoreAccess& other = turned ? first : second;
        report_({code, kind, begin, end - begin, one, other, told(one, other), told(other, one)});
    };
    if (first.cached == Cached::WholeLine || second.cached == Cached::WholeLine) {
        if (first.write && second.write) {
            found("T313", "two cores in one line");
        }
    } else if (first.access.kind != kPlain || second.access.kind != kPlain) {
        if (first.access.kind != second.access.kind) {
            found("T314", "atomic and other access inter-core",
                  StageOfSum(second) < StageOfSum(first));
        } else if (clocks.At(first.core).core == clocks.At(second.core).core) {
            found("T814", "equal requests");  // no finding if the two requests differ
        }
    } else if (first.write && second.write) {
        found("T813", "WAW inter-core");
    } else if (IsLate(first, second, clocks) || IsLate(second, first, clocks)) {
        found("T311", "scalar write not written back", IsLate(second, first, clocks));
    } else {
        found(first.write ? "T811" : "T812", first.write ? "RAW inter-core" : "WAR inter-core");
    }
}

}  // namespace twin::hazard
