// SPDX-License-Identifier: Apache-2.0
#include "host/event.h"

#include <algorithm>

namespace twin::host {

uint64_t Event::Record() {
    std::lock_guard<std::mutex> lock(mutex_);
    return ++recorded_;
}

uint64_t Event::Recorded() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return recorded_ > forgotten_ ? recorded_ : 0;
}

void Event::Complete(uint64_t generation, const LaunchResult& failure) {
    std::lock_guard<std::mutex> lock(mutex_);
    completed_ = std::max(completed_, generation);
    failure_ = failure;
    time_ = Clock::now();
    changed_.notify_all();
}

void Event::Reset(uint64_t generation) {
    std::lock_guard<std::mutex> lock(mutex_);
    forgotten_ = std::max(forgotten_, generation);
}

bool Event::Complete() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return recorded_ > forgotten_ && completed_ >= recorded_;
}

bool Event::Wait(uint64_t generation, int timeoutMs, const CancelFlag& cancel) {
    // An abort cannot signal this event. So the loop sleeps for short times and reads the cancel
    // flag in between.
    constexpr auto kPoll = std::chrono::milliseconds(10);
    const auto deadline = Clock::now() + std::chrono::milliseconds(std::max(timeoutMs, 0));
    const auto done = [&] { return completed_ >= generation; };
    std::unique_lock<std::mutex> lock(mutex_);
    if (timeoutMs >= 0) {
        return changed_.wait_until(lock, deadline, done);
    }
    if (cancel == nullptr) {
        changed_.wait(lock, done);
        return true;
    }
    while (!changed_.wait_for(lock, kPoll, done)) {
        if (cancel->load()) {
            return false;
        }
    }
    return true;
}

LaunchResult Event::Failure() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
}

Event::Clock::time_point Event::Time() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return time_;
}

}  // namespace twin::host
