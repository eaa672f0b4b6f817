// SPDX-License-Identifier: Apache-2.0
#include "hazard/releases.h"

#include <algorithm>
#include <utility>

namespace twin::hazard {

std::vector<uint32_t> Releases::Add(const CoreSync& sync, Told told) {
    Object& object = objects_[sync.object];
    if (sync.member >= object.members.size()) {
        object.members.resize(sync.member + 1);
    }
    ++object.releases[told.core];
    Member& member = object.members[sync.member];
    member.told.push_back(std::move(told));
    return std::exchange(member.waiting, {});
}

Known Releases::Take(const CoreSync& sync, uint32_t core, const Known& nothing) {
    Object& object = objects_[sync.object];
    const int64_t round = RoundOf(object, sync, core);
    Known known = nothing;
    if (round >= 0 && sync.count != 0) {
        if (object.members.size() < size_t{sync.first} + sync.count) {
            object.members.resize(size_t{sync.first} + sync.count);
        }
        // Lower cores go on first, so mostly the highest one is missing last.
        for (uint32_t member = sync.first + sync.count; member-- > sync.first;) {
            Member& of = object.members[member];
            if (of.forgotten + of.told.size() <= static_cast<uint64_t>(round)) {
                of.waiting.push_back(core);
                return nullptr;
            }
        }
        known = Join(object, sync, static_cast<uint64_t>(round));
    }
    object.taken += sync.which == CoreSync::Round::Next ? 1 : 0;
    return known;
}

/// Everybody who has waited for a round is told the same.
Known Releases::Join(Object& object, const CoreSync& sync, uint64_t round) {
    Round& latest = object.latest;
    if (latest.known == nullptr || latest.number != round || latest.first != sync.first ||
        latest.count != sync.count) {
        std::vector<Told> all;
        for (uint32_t member = sync.first; member < sync.first + sync.count; ++member) {
            const Member& of = object.members[member];
            all.push_back(of.told[std::max(round, of.forgotten) - of.forgotten]);
        }
        latest = {sync.first, sync.count, round, Joined(all), 0};
    }
    const Known known = latest.known;
    Forget(object, sync, round);
    return known;
}

/// Rounds that lie behind all who meet in them, or before one that is waited for once.
void Releases::Forget(Object& object, const CoreSync& sync, uint64_t round) {
    const bool all = ++object.latest.taken == sync.count && object.releases.size() == sync.count;
    if (sync.which == CoreSync::Round::Next || (sync.which == CoreSync::Round::Own && all)) {
        for (uint32_t member = sync.first; member < sync.first + sync.count; ++member) {
            Member& of = object.members[member];
            for (; of.forgotten < round; ++of.forgotten) {
                of.told.pop_front();
            }
        }
    }
}

int64_t Releases::RoundOf(Object& object, const CoreSync& sync, uint32_t core) {
    switch (sync.which) {
        case CoreSync::Round::Own:
            return int64_t{object.releases[core]} - sync.round;
        case CoreSync::Round::Next:
            return int64_t{object.taken} - sync.round;
        default:
            return sync.round;
    }
}

}  // namespace twin::hazard
