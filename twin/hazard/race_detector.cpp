// SPDX-License-Identifier: Apache-2.0
#include <string>
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

std::string RemedyOfRace(const Race& race, const Finding& finding) {
    const std::string code = race.code;
    if (code == "T311") {
        return "DataCacheCleanAndInvalid after line " + std::to_string(finding.first.line) +
               ", before others are told";
    }
    if (code == "T312") {
        return "DataCacheCleanAndInvalid before line " + std::to_string(finding.second.line);
    }
    if (code == "T313") {
        return "64 B of its own for what each core writes with SetValue";
    }
    return MissingMeeting(finding.first, finding.second);
}

}  // namespace

void RaceDetector::Check(uint32_t core, const GmAccess& access, const LaunchClocks& clocks,
                         const WordHandover& words) {
    if (access.cached == Cached::Load) {
        LoadLine(core, access.begin, clocks.Of(core));
        return;
    }
    const CoreAccess now{core,          access.access,      access.write,
                         access.cached, access.scalarEpoch, access.word};
    memory_.Touch(access.begin, access.runs,
                  [&](const Accesses& before, uint64_t begin, const RunEnd& end, Accesses* after) {
                      return Compare(before, now, clocks, words, begin, end, after);
                  });
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
                 write, now});
    }
}

void RaceDetector::JudgeUnordered(const CoreAccess& first, const CoreAccess& second,
                                  const LaunchClocks& clocks, uint64_t begin, const RunEnd& end) {
    const auto found = [&](const char* code, const char* kind, bool turned = false) {
        report_({code, kind, begin, end - begin, turned ? second : first, turned ? first : second});
    };
    if (first.cached == Cached::WholeLine || second.cached == Cached::WholeLine) {
        if (first.write && second.write) {
            found("T313", "two cores in one line");
        }
    } else if (first.access.kind != kPlain || second.access.kind != kPlain) {
        if (first.access.kind != second.access.kind) {
            found("T314", "atomic and other access inter-core",
                  StageOfSum(second) < StageOfSum(first));
        }
    } else if (first.write && second.write) {
        found("T813", "WAW inter-core");
    } else if (IsLate(first, second, clocks) || IsLate(second, first, clocks)) {
        found("T311", "scalar write not written back", IsLate(second, first, clocks));
    } else {
        found(first.write ? "T811" : "T812", first.write ? "RAW inter-core" : "WAR inter-core");
    }
}

void RaceFindings::AddSites(uint32_t core, const std::vector<Site>& sites) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Site>& known = sites_[core];
    known.insert(known.end(), sites.begin() + static_cast<ptrdiff_t>(known.size()), sites.end());
}

Site RaceFindings::SiteOf(uint32_t core, const Access& access) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return sites_[core][access.site];
}

void RaceFindings::Add(const Race& race, const LogicalCore& from, const LogicalCore& to) {
    const Site first = SiteOf(from.core, race.first.access);
    const Site second = SiteOf(to.core, race.second.access);
    const uint64_t instruction = uint64_t{race.second.core} << 32 | race.second.access.index;
    found_.Note(race.code, first.where.file, first.where.line, second.where.file, second.where.line,
                instruction);
    const size_t number = found_.Standing();
    if (number == SIZE_MAX) {
        return;
    }
    const Place place = {to.core,   to.client,   race.second.access.sequence,
                         from.core, from.client, race.first.access.sequence,
                         race.begin};
    const auto describe = [&] {
        const auto party = [this](const Site& site, uint32_t core, bool write) {
            return PartyOf(IdOf(shape_, core), site.where, site.opcode, PipeOf(site.lane),
                           write ? Action::Writes : Action::Reads);
        };
        return Describe(race, party(first, from.core, race.first.write),
                        party(second, to.core, race.second.write), to.client);
    };
    if (number == places_.size()) {
        places_.push_back(place);
        found_.Add(describe());
    } else if (place < places_[number]) {
        places_[number] = place;
        Finding lower = describe();
        lower.count = found_.All()[number].count;
        found_.All()[number] = std::move(lower);
    }
}

Finding RaceFindings::Describe(const Race& race, const Party& first, const Party& second,
                               uint32_t client) const {
    Finding finding;
    finding.code = race.code;
    finding.kind = race.kind;
    finding.memory = "GM";
    finding.begin = race.begin;
    finding.bytes = race.bytes;
    // Each Matmul client of a cube core has its own sequence numbers.
    finding.sequence = uint64_t{client} << 32 | race.second.access.sequence;
    finding.NameGm(gm_);
    finding.first = first;
    finding.second = second;
    finding.missing = RemedyOfRace(race, finding);
    return finding;
}

}  // namespace twin::hazard
