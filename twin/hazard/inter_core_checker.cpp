// SPDX-License-Identifier: Apache-2.0
#include "hazard/inter_core_checker.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace twin::hazard {
namespace {

using Time = std::chrono::steady_clock;

/// The replay of the logs begins when the cores with the lowest numbers have this many entries.
constexpr uint64_t kBegin = uint64_t{1} << 16;
/// A core waits if it is ahead of the replay of the logs by this number of log entries.
constexpr size_t kAhead = size_t{1} << 16;
constexpr uint64_t kMostAtOnce = uint64_t{4} * CoreLogs::kTurn;  ///< most entries per RunReplay()
constexpr uint64_t kStep = 256;                                  ///< entries between time checks
constexpr std::chrono::milliseconds kLongestTurn{200};           ///< longest time of RunReplay()
constexpr std::chrono::milliseconds kStandsStill{20};
constexpr std::chrono::milliseconds kLongestWait{200};
constexpr std::chrono::microseconds kPause{200};

}  // namespace

void RecordedCores::Record(uint32_t core, uint64_t length) {
    lengths_[core] = length;
    while (firstOpen_ < Cores() && ended_[firstOpen_]) {
        endedLength_ += lengths_[firstOpen_++];
    }
}

void RecordedCores::End(uint32_t core, uint64_t length, Segments segments) {
    ended_[core] = true;
    segments_[core] = std::move(segments);
    Record(core, length);
}

bool RecordedCores::HaveRecorded(uint64_t length) const {
    return firstOpen_ != Cores() && endedLength_ + lengths_[firstOpen_] >= length;
}

InterCoreChecker::InterCoreChecker(const LaunchInfo& info)
    : shape_(info.shape),
      cores_(info.blockDim * info.shape.Cores()),
      found_(info.shape, info.gm, cores_.Cores()) {}

bool InterCoreChecker::Count(uint32_t core, uint64_t length) {
    std::vector<CoreSegments> ended;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        cores_.Record(core, length);
        if (Replays() || !cores_.HaveRecorded(kBegin)) {
            return Replays();
        }
        for (uint32_t other = 0; other < cores_.Cores(); ++other) {
            if (cores_.HasEnded(other)) {
                ended.push_back({other, cores_.Take(other)});
            }
        }
        Begin(PossibleClients());
    }
    for (CoreSegments& each : ended) {
        PutAll(each.core, std::move(each.segments));
    }
    return true;
}

void InterCoreChecker::Ended(uint32_t core, uint64_t length, RecordedCores::Segments segments) {
    bool replays = false;
    RecordedCores::Segments kept;  // filled if the replay has not begun
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        replays = Replays();
        if (!replays) {
            kept.swap(segments);
        }
        cores_.End(core, length, std::move(kept));
    }
    if (replays) {
        PutAll(core, std::move(segments));
    } else if (!Count(core, length)) {
        return;
    }
    RunReplay();
}

std::vector<LogicalCore> InterCoreChecker::PossibleClients() const {
    std::vector<LogicalCore> clients;
    for (uint32_t core = 0; core < cores_.Cores(); ++core) {
        const bool serves = shape_.aiv != 0 && shape_.KindOf(core) == CoreKind::Aic;
        for (uint32_t client = 1; serves && client <= CoreLogs::kClients; ++client) {
            clients.push_back({core, client});
        }
    }
    return clients;
}

void InterCoreChecker::Begin(const std::vector<LogicalCore>& clients) {
    for (uint32_t core = 0; core < cores_.Cores(); ++core) {
        logical_.push_back({core, 0});
    }
    logical_.insert(logical_.end(), clients.begin(), clients.end());
    replay_ = std::make_unique<Replay>(
        shape_, cores_.Cores(), logical_,
        Replay::Reports{[this](const Race& race) {
                            found_.Add(race, logical_[race.first.core], logical_[race.second.core]);
                        },
                        [this](const LogicalCore& core, const TentativeFinding& finding) {
                            ++ordered_[{core.core, finding.finding}];
                        }});
    replays_.store(true, std::memory_order_release);
}

uint32_t InterCoreChecker::NumberOf(uint32_t core, uint32_t client) const {
    if (client == 0) {
        return core;
    }
    const auto place = [](const LogicalCore& each) {
        return std::make_pair(each.core, each.client);
    };
    const auto found = std::lower_bound(
        logical_.begin() + cores_.Cores(), logical_.end(), LogicalCore{core, client},
        [&](const LogicalCore& a, const LogicalCore& b) { return place(a) < place(b); });
    const bool exists = found != logical_.end() && found->core == core && found->client == client;
    return static_cast<uint32_t>(exists ? found - logical_.begin()
                                        : logical_.end() - logical_.begin());
}

size_t InterCoreChecker::Put(uint32_t core, uint32_t client, LogSegment segment) {
    const uint32_t number = NumberOf(core, client);
    replay_->Put(number, std::move(segment));
    return replay_->Behind(number);
}

void InterCoreChecker::PutAll(uint32_t core, RecordedCores::Segments segments) {
    for (uint32_t client = 0; client < segments.size(); ++client) {
        Put(core, client, std::move(segments[client]));
    }
    for (uint32_t client = 0; client <= CoreLogs::kClients; ++client) {
        const uint32_t number = NumberOf(core, client);
        if (number < logical_.size()) {
            replay_->End(number);
        }
    }
}

void InterCoreChecker::Advance(uint32_t core) {
    RunReplay();
    Wait(core);
}

void InterCoreChecker::RunReplay() {
    const std::unique_lock<std::mutex> lock(replaying_, std::try_to_lock);
    if (!lock.owns_lock()) {
        return;
    }
    const Time::time_point end = Time::now() + kLongestTurn;
    const uint64_t first = done_;
    uint64_t before = 0;
    do {
        before = done_;
        replay_->Run(kStep);
        done_ = replay_->Done();
    } while (done_ != before && done_ - first < kMostAtOnce && Time::now() < end);
}

/// Lets a core that is far ahead of the replay wait while the replay makes progress. This limits
/// only the size of the queues; it does not change the findings.
void InterCoreChecker::Wait(uint32_t core) {
    const Time::time_point begin = Time::now();
    Time::time_point moved = begin;
    uint64_t done = done_;
    while (replay_->Behind(core) >= kAhead && still_ != done_) {
        RunReplay();
        const Time::time_point now = Time::now();
        if (done_ != done) {
            done = done_;
            moved = now;
        } else {
            std::this_thread::sleep_for(kPause);
        }
        if (now - moved > kStandsStill) {
            still_ = done;
        }
        if (now - begin > kLongestWait) {
            return;
        }
    }
}

bool InterCoreChecker::IsLong(uint64_t length) { return length >= kBegin; }

const InterCoreChecker::OrderedCounts& InterCoreChecker::Finish(std::vector<CoreSegments> cores) {
    if (!Replays()) {
        std::vector<LogicalCore> clients;
        for (const CoreSegments& each : cores) {
            for (uint32_t client = 1; client < each.segments.size(); ++client) {
                clients.push_back({each.core, client});
            }
        }
        Begin(clients);
    }
    for (CoreSegments& each : cores) {
        if (cores_.HasEnded(each.core)) {
            PutAll(each.core, cores_.Take(each.core));
        } else {
            PutAll(each.core, std::move(each.segments));
        }
    }
    for (uint32_t number = 0; number < logical_.size(); ++number) {
        replay_->End(number);
    }
    replay_->Run();
    return ordered_;
}

}  // namespace twin::hazard
