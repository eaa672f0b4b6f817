// SPDX-License-Identifier: Apache-2.0
#include "timing/releases.h"

#include <algorithm>

namespace twin::timing {

int64_t Releases::RoundOf(uint32_t core, const CoreSync& sync) {
    switch (sync.which) {
        case CoreSync::Round::Own:
            return int64_t{own_[{sync.object, core}]} - sync.round;
        case CoreSync::Round::Next:
            return int64_t{taken_[sync.object]++} - sync.round;
        default:
            return sync.round;
    }
}

void Releases::Add(uint32_t core, const CoreSync& sync, Ticks when, std::vector<Granted>* granted) {
    std::vector<Ticks>& times = times_[{sync.object, sync.member}];
    const uint64_t round = times.size();
    times.push_back(when);
    ++own_[{sync.object, core}];
    std::vector<Wait>& waits = waits_[sync.object];
    for (Wait& wait : waits) {
        if (wait.round == round && sync.member - wait.first < wait.count) {
            wait.latest = std::max(wait.latest, when);
            if (--wait.missing == 0) {
                granted->push_back({wait.core, wait.latest});
            }
        }
    }
    waits.erase(std::remove_if(waits.begin(), waits.end(),
                               [](const Wait& wait) { return wait.missing == 0; }),
                waits.end());
}

void Releases::Await(uint32_t core, const CoreSync& sync, Ticks when,
                     std::vector<Granted>* granted) {
    const int64_t round = RoundOf(core, sync);
    Wait wait = {core, sync.first, sync.count, static_cast<uint64_t>(round), 0, when};
    for (uint32_t i = 0; round >= 0 && i < sync.count; ++i) {
        const std::vector<Ticks>& times = times_[{sync.object, sync.first + i}];
        if (times.size() <= wait.round) {
            ++wait.missing;
        } else {
            wait.latest = std::max(wait.latest, times[wait.round]);
        }
    }
    if (wait.missing == 0) {
        granted->push_back({core, wait.latest});
    } else {
        waits_[sync.object].push_back(wait);
    }
}

}  // namespace twin::timing
