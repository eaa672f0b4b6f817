// SPDX-License-Identifier: Apache-2.0
// Words that cores hand over by (handover.cpp), in the replay of all cores: who read what whom
// wrote follows from the values, so it is the same whatever the schedule was.
#include <algorithm>
#include <utility>

#include "hazard/replay.h"

namespace twin::hazard {
namespace {

constexpr uint64_t kWordBytes = 4;  // what is followed of a line; a longer one by its first part

}  // namespace

/// By line, what the cores have published since the last time.
void Replay::Announce() {
    for (const Announced& each : inbox_->TakeAnnounced()) {
        announced_[each.what.line].push_back(each);
    }
}

void Replay::Publish(uint32_t core, const Meeting& meeting) {
    const Published& what = cores_[core].log.NextPublished();
    std::vector<Handed>& all = published_[what.line];
    for (uint64_t at = 0; at < 64; at += kWordBytes) {
        if ((what.bits >> at & ((1U << kWordBytes) - 1)) != 0) {
            cores_[core].readUpTo[what.line + at] = all.size();  // it does not see older ones again
        }
    }
    all.push_back({what, Tell(core, meeting)});
    ++cores_[core].published;
    std::deque<Announced>& announced = announced_[what.line];
    while (!announced.empty() &&
           announced.front().number < cores_[announced.front().part].published) {
        announced.pop_front();
    }
    for (const uint32_t polling : std::exchange(polling_, {})) {
        ready_.Add(polling);
    }
}

/// What a core reads from: of what was published since it looked there last.
const Replay::Handed* Replay::Find(uint32_t core, const Poll& poll) {
    const std::vector<Handed>& all = published_[poll.line];
    size_t& from = cores_[core].readUpTo[poll.access.begin / kWordBytes * kWordBytes];
    for (size_t i = from; i < all.size(); ++i) {
        if (poll.Finds(all[i].what)) {
            from = i;
            return &all[i];
        }
    }
    return nullptr;
}

/// Whether another core will publish what is read, as far as is known.
bool Replay::Comes(uint32_t core, const Poll& poll) {
    Announce();
    const auto line = announced_.find(poll.line);
    return line != announced_.end() &&
           std::any_of(line->second.begin(), line->second.end(), [&](const Announced& each) {
               return each.part != core && each.number >= cores_[each.part].published &&
                      poll.Finds(each.what);
           });
}

Replay::Passes Replay::PassPoll(uint32_t core, const Poll& poll) {
    const Handed* const found = Find(core, poll);
    if (found == nullptr && forced_ != core) {
        const bool all = inbox_->OthersEnded(core);  // before it looks
        if (Comes(core, poll)) {
            polling_.push_back(core);
            return Passes::Waits;
        }
        if (!all) {
            return Passes::NotYet;
        }
    }
    forced_ = UINT32_MAX;
    CoreState& state = cores_[core];
    GmAccess access = poll.access;
    if (found != nullptr && found->told.core != core) {
        const Published& what = found->what;
        const uint32_t writer = found->told.core;
        const Clock& known = (*state.knows)[writer];
        if (!known.Covers(what.access.lane, what.access.index) &&
            state.handed.count({writer, what.told}) == 0) {
            if (known.ended[kScalarRead] > what.told) {
                // Told by something later to go on, when this write need not have been there.
                access.word = false;
            } else {
                state.handed.insert({writer, what.told});
                Learn(core, Joined({found->told}));
            }
        }
    }
    if (access.cached == Cached::Read) {
        state.lines[poll.line] = state.knows;
    }
    Touch(core, access);
    return Passes::Yes;
}

/// All wait: the lowest core that waits for a word has read an old value of it, or the one that
/// waits for a release that may never come does without.
bool Replay::Force() {
    for (uint32_t core = 0; core < cores_.size(); ++core) {
        const Meeting* const next = cores_[core].log.Next();
        if (next != nullptr && (next->polls || next->mayMiss)) {
            forced_ = core;
            ready_.Add(core);
            return true;
        }
    }
    return false;
}

/// Words in no order that are no clash: one that is polled, or one that the other core had found
/// before it wrote.
bool Replay::HandedOver(const Mark& before, const Mark& now) const {
    return before.word && now.word &&
           (before.write != now.write ||
            cores_[now.core].handed.count({before.core, before.told}) != 0);
}

}  // namespace twin::hazard
