// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_EVENT_H
#define TWIN_HOST_EVENT_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "core/launch.h"
#include "host/stream.h"

namespace twin::host {

/// A point in a stream. Every record gets the next generation number; the event is complete when
/// the newest generation is.
class Event {
public:
    using Clock = std::chrono::steady_clock;

    explicit Event(bool timed) : timed_(timed) {}

    bool Timed() const { return timed_; }
    /// Starts a new generation, which the stream will complete.
    uint64_t Record();
    /// The newest generation; 0 if the event was never recorded.
    uint64_t Recorded() const;
    void Complete(uint64_t generation, const LaunchResult& failure);
    /// Forgets the records up to `generation`.
    void Reset(uint64_t generation);

    bool Complete() const;
    /// Returns false if `timeoutMs` (-1: for ever) ran out or `cancel` (may be null) was set.
    bool Wait(uint64_t generation, int timeoutMs, const CancelFlag& cancel);
    /// The status of the stream when it reached the event.
    LaunchResult Failure() const;
    Clock::time_point Time() const;

private:
    const bool timed_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t recorded_ = 0;
    uint64_t completed_ = 0;
    uint64_t forgotten_ = 0;
    LaunchResult failure_;
    Clock::time_point time_;
};

}  // namespace twin::host

#endif  // TWIN_HOST_EVENT_H
