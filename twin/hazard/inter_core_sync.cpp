// SPDX-License-Identifier: Apache-2.0
#include "hazard/inter_core_sync.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace twin::hazard {
namespace {

constexpr uint64_t kWordBytes = 4;  // bytes of a word; a longer poll is tracked by its first word

}  // namespace

LaunchClocks::LaunchClocks(std::vector<LogicalCore> cores)
    : cores_(std::move(cores)),
      around_(cores_.size()),
      nothing_(std::make_shared<const LaunchClock>(cores_.size())),
      clocks_(cores_.size(), nothing_) {
    for (uint32_t core = 0; core < cores_.size(); ++core) {
        if (cores_[core].client != 0) {
            around_[core].push_back(cores_[core].core);
            around_[cores_[core].core].push_back(core);
        }
    }
}

Clock LaunchClocks::Own(uint32_t core) const {
    Clock own = (*clocks_[core])[core];
    own.Join((*clocks_[core])[cores_[core].core]);
    return own;
}

ReleaseClock LaunchClocks::Release(uint32_t core, const Clock& ended) const {
    ReleaseClock release{clocks_[core], core, ended};
    if (!around_[core].empty()) {
        // Logical cores on one core share its pipes, so `ended` counts all their instructions.
        // But each logical core has its own program order.
        Clock pipes = ended;
        pipes.ended[kProgram] = 0;
        auto acquired = std::make_shared<LaunchClock>(*release.acquired);
        for (const uint32_t other : around_[core]) {
            (*acquired)[other].Join(pipes);
        }
        release.acquired = std::move(acquired);
    }
    return release;
}

std::vector<uint32_t> SyncObjects::Release(const CoreSync& sync, ReleaseClock release) {
    Object& object = objects_[sync.object];
    if (sync.member >= object.members.size()) {
        object.members.resize(sync.member + 1);
    }
    ++object.releases[release.core];
    Member& member = object.members[sync.member];
    member.releases.push_back(std::move(release));
    return std::exchange(member.waiting, {});
}

SharedClock SyncObjects::Acquire(const CoreSync& sync, uint32_t core, const SharedClock& nothing) {
    Object& object = objects_[sync.object];
    const int64_t round = RoundOf(object, sync, core);
    SharedClock clock = nothing;
    if (round >= 0 && sync.count != 0) {
        if (object.members.size() < size_t{sync.first} + sync.count) {
            object.members.resize(size_t{sync.first} + sync.count);
        }
        // The replay of the logs runs lower cores first, so the highest core usually releases last.
        for (uint32_t member = sync.first + sync.count; member-- > sync.first;) {
            Member& of = object.members[member];
            if (of.forgotten + of.releases.size() <= static_cast<uint64_t>(round)) {
                of.waiting.push_back(core);
                return nullptr;
            }
        }
        clock = Join(object, sync, static_cast<uint64_t>(round));
    }
    object.taken += sync.which == CoreSync::Round::Next ? 1 : 0;
    return clock;
}

/// Returns the joined clock of all releases with number `round`; computes it once for all cores.
SharedClock SyncObjects::Join(Object& object, const CoreSync& sync, uint64_t round) {
    Round& latest = object.latest;
    if (latest.clock == nullptr || latest.number != round || latest.first != sync.first ||
        latest.count != sync.count) {
        std::vector<ReleaseClock> all;
        for (uint32_t member = sync.first; member < sync.first + sync.count; ++member) {
            const Member& of = object.members[member];
            all.push_back(of.releases[std::max(round, of.forgotten) - of.forgotten]);
        }
        latest = {sync.first, sync.count, round, Joined(all), 0};
    }
    const SharedClock clock = latest.clock;
    Forget(object, sync, round);
    return clock;
}

/// Drops earlier releases that no core will wait for any more.
void SyncObjects::Forget(Object& object, const CoreSync& sync, uint64_t round) {
    const bool all = ++object.latest.taken == sync.count && object.releases.size() == sync.count;
    if (sync.which == CoreSync::Round::Next || (sync.which == CoreSync::Round::Own && all)) {
        for (uint32_t member = sync.first; member < sync.first + sync.count; ++member) {
            Member& of = object.members[member];
            for (; of.forgotten < round; ++of.forgotten) {
                of.releases.pop_front();
            }
        }
    }
}

int64_t SyncObjects::RoundOf(Object& object, const CoreSync& sync, uint32_t core) {
    switch (sync.which) {
        case CoreSync::Round::Own:
            return int64_t{object.releases[core]} - sync.round;
        case CoreSync::Round::Next:
            return int64_t{object.taken} - sync.round;
        default:
            return sync.round;
    }
}

std::vector<uint32_t> CrossFlagClocks::Set(uint32_t core, int8_t mode, int8_t flag,
                                           ReleaseClock release) {
    const auto sent = [&](uint32_t from) -> std::deque<ReleaseClock>& {
        return flags_[from].sent[static_cast<size_t>(mode)][static_cast<size_t>(flag)];
    };
    flags_.resize(cores_);
    sent(core).push_back(std::move(release));
    const uint32_t first = mode == 0 ? 0 : shape_.BlockOf(core) * shape_.Cores();
    const uint32_t end = mode == 0 ? cores_ : first + shape_.Cores();
    const CoreKind kind = shape_.KindOf(core);
    for (uint32_t other = first; other < end; ++other) {
        if (shape_.KindOf(other) == kind && sent(other).empty()) {
            return {};
        }
    }
    std::vector<ReleaseClock> all;
    for (uint32_t other = first; other < end; ++other) {
        if (shape_.KindOf(other) == kind) {
            all.push_back(std::move(sent(other).front()));
            sent(other).pop_front();
        }
    }
    const SharedClock clock = Joined(all);
    std::vector<uint32_t> raised;
    for (uint32_t other = first; other < end; ++other) {
        // Mode 2 raises counters of the other kind of core, modes 0 and 1 of the same kind.
        if ((shape_.KindOf(other) == kind) == (mode != 2)) {
            flags_[other].received[static_cast<size_t>(flag)].push_back(clock);
            raised.push_back(other);
        }
    }
    return raised;
}

SharedClock CrossFlagClocks::Wait(uint32_t core, int8_t flag) {
    if (flags_.empty() || flags_[core].received[static_cast<size_t>(flag)].empty()) {
        return nullptr;
    }
    std::deque<SharedClock>& received = flags_[core].received[static_cast<size_t>(flag)];
    const SharedClock clock = received.front();
    received.pop_front();
    return clock;
}

void WordHandover::Announce(const std::vector<AnnouncedLine>& lines) {
    for (const AnnouncedLine& each : lines) {
        announced_[each.what.line].push_back(each);
    }
}

std::vector<uint32_t> WordHandover::Publish(const PublishedLine& what, ReleaseClock release) {
    Core& core = cores_[release.core];
    std::vector<ReleasedLine>& all = published_[what.line];
    for (uint64_t at = 0; at < sizeof(what.bytes); at += kWordBytes) {
        if ((what.bits >> at & ((1U << kWordBytes) - 1)) != 0) {
            core.readUpTo[what.line + at] = all.size();  // this core's polls ignore older words
        }
    }
    all.push_back({what, std::move(release)});
    ++core.published;
    std::deque<AnnouncedLine>& announced = announced_[what.line];
    while (!announced.empty() &&
           announced.front().number < cores_[announced.front().core].published) {
        announced.pop_front();
    }
    return std::exchange(waiting_, {});
}

const ReleasedLine* WordHandover::Find(uint32_t core, const Poll& poll) {
    const std::vector<ReleasedLine>& all = published_[poll.line];
    size_t& from = cores_[core].readUpTo[poll.access.begin / kWordBytes * kWordBytes];
    for (size_t i = from; i < all.size(); ++i) {
        if (poll.Finds(all[i].what)) {
            from = i;
            return &all[i];
        }
    }
    return nullptr;
}

bool WordHandover::Comes(uint32_t core, const Poll& poll) const {
    const auto line = announced_.find(poll.line);
    return line != announced_.end() &&
           std::any_of(line->second.begin(), line->second.end(), [&](const AnnouncedLine& each) {
               return each.core != core && each.number >= cores_[each.core].published &&
                      poll.Finds(each.what);
           });
}

bool WordHandover::Found(uint32_t core, const ReleasedLine& line) const {
    return cores_[core].found.count({line.release.core, line.what.scalarEpoch}) != 0;
}

void WordHandover::NoteFound(uint32_t core, const ReleasedLine& line) {
    cores_[core].found.insert({line.release.core, line.what.scalarEpoch});
}

bool WordHandover::HandedOver(const CoreAccess& before, const CoreAccess& now) const {
    return before.word && now.word &&
           (before.write != now.write ||
            cores_[now.core].found.count({before.core, before.scalarEpoch}) != 0);
}

}  // namespace twin::hazard
