// SPDX-License-Identifier: Apache-2.0
#include "hazard/clocks.h"

#include <algorithm>

namespace twin::hazard {
namespace {

constexpr size_t kKeptSteps = 256;

void JoinInto(LaunchClock* into, const LaunchClock& from) {
    for (size_t core = 0; core < into->size(); ++core) {
        (*into)[core].Join(from[core]);
    }
}

}  // namespace

SharedClock Joined(const std::vector<ReleaseClock>& all) {
    const auto joined = std::make_shared<LaunchClock>(*all.front().acquired);
    // Cores that have synchronised share one `acquired`. The loop joins a shared clock only once.
    const LaunchClock* latest = all.front().acquired.get();
    for (const ReleaseClock& release : all) {
        if (release.acquired.get() != latest) {
            latest = release.acquired.get();
            JoinInto(joined.get(), *latest);
        }
        (*joined)[release.core].Join(release.own);
    }
    return joined;
}

SharedClock Joined(const SharedClock& one, const SharedClock& other) {
    if (one == other) {
        return one;
    }
    const auto joined = std::make_shared<LaunchClock>(*one);
    JoinInto(joined.get(), *other);
    return *joined == *other ? other : (*joined == *one ? one : joined);
}

void CoreClocks::Steps::Add(const Step& step) {
    if (steps_.size() < kKeptSteps) {
        steps_.push_back(step);
        return;
    }
    steps_[oldest_] = step;
    oldest_ = (oldest_ + 1) % kKeptSteps;
}

const Clock* CoreClocks::Steps::At(uint32_t index) const {
    size_t later = 0;  // number of the first `Step` whose `index` is above the argument
    for (size_t count = steps_.size(); count != 0;) {
        const size_t half = count / 2;
        if (Number(later + half).index <= index) {
            later += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return later == 0 ? nullptr : &Number(later - 1).clock;
}

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
    history_[lane].Add({issued_[lane] + 1, known_[lane]});
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
    const Clock* const then = history_[from].At(index);
    if (then != nullptr) {
        clock = *then;
    }
    clock.ended[from] = std::max(clock.ended[from], index);
    clock.ended[kScalarRead] = issued_[kScalarRead];
    Join(to, clock);
}

}  // namespace twin::hazard
