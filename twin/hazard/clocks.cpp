// SPDX-License-Identifier: Apache-2.0
#include "hazard/clocks.h"

#include <algorithm>

namespace twin::hazard {
namespace {

constexpr size_t kKeptSteps = 256;

}  // namespace

void CoreClocks::Join(Lane lane, const Clock& clock) {
    const Clock before = known_[lane];
    known_[lane].Join(clock);
    if (before.ended == known_[lane].ended) {
        return;
    }
    ++changes_;
    if (lane == kS) {
        ++version_;
    }
    history_[lane].push_back({issued_[lane] + 1, known_[lane]});
    if (history_[lane].size() > kKeptSteps) {
        history_[lane].pop_front();
    }
}

void CoreClocks::Follow(Lane lane) {
    if (lane != kS && followed_[lane] != version_) {
        followed_[lane] = version_;
        Join(lane, Scalar());
    }
}

Clock CoreClocks::After(Lane lane) {
    Follow(lane);
    Clock clock = known_[lane];
    clock.ended[lane] = issued_[lane];
    clock.ended[kScalarRead] = issued_[kScalarRead];
    return clock;
}

Clock CoreClocks::AfterAll() const {
    Clock clock;
    clock.ended = issued_;
    return clock;
}

void CoreClocks::SetFlag(uint32_t event, uint32_t id, Lane source) {
    flags_[event][id] = After(source);
    ++changes_;
}

void CoreClocks::WaitFlag(uint32_t event, uint32_t id, Lane destination) {
    Follow(destination);
    Join(destination, flags_[event][id]);
}

void CoreClocks::Barrier(Lane lane) { Join(lane, After(lane)); }

void CoreClocks::BarrierAll() { Join(kS, AfterAll()); }

void CoreClocks::Learn(Lane to, Lane from, uint32_t index) {
    Clock clock;
    const std::deque<Step>& steps = history_[from];
    const auto later =
        std::upper_bound(steps.begin(), steps.end(), index,
                         [](uint32_t wanted, const Step& step) { return wanted < step.index; });
    if (later != steps.begin()) {
        clock = std::prev(later)->clock;
    }
    clock.ended[from] = std::max(clock.ended[from], index);
    clock.ended[kScalarRead] = issued_[kScalarRead];
    Join(to, clock);
}

}  // namespace twin::hazard
