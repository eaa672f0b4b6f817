// SPDX-License-Identifier: Apache-2.0
#include "hazard/between.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "hazard/core_checker.h"

namespace twin::hazard {
namespace {

using Time = std::chrono::steady_clock;

/// Records of the lowest cores before the replay begins.
constexpr uint64_t kBegin = uint64_t{1} << 16;
/// How far a core goes ahead of the replay before it waits for a moment.
constexpr size_t kAhead = size_t{1} << 16;
constexpr uint64_t kMostAtOnce = uint64_t{4} * Between::kTurn;  ///< of the replay
constexpr uint64_t kStep = 256;                                 ///< between looks at the time
constexpr std::chrono::milliseconds kLongestTurn{200};
constexpr std::chrono::milliseconds kStandsStill{20};
constexpr std::chrono::milliseconds kLongestWait{200};
constexpr std::chrono::microseconds kPause{200};

std::string Remedy(const Clash& clash, const Finding& finding) {
    const std::string code = clash.code;
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

uint64_t LengthOf(const CoreChecker& core) {
    uint64_t length = 0;
    for (const CoreLog& log : core.logs) {
        length += log.Length();
    }
    return length;
}

}  // namespace

Between::Between(const LaunchInfo& info)
    : shape_(info.shape),
      count_(info.blockDim * info.shape.Cores()),
      gm_(info.gm),
      checkers_(count_),
      lengths_(count_),
      ended_(count_),
      sites_(count_) {}

void Between::Add(const CoreChecker* core) {
    const std::lock_guard<std::mutex> lock(mutex_);
    checkers_[core->coreIdx] = core;
}

void Between::Hand(CoreChecker* core, uint32_t client) { Put(core, client, false); }

void Between::Turn(CoreChecker* core) {
    Count(core, false);
    if (!Runs()) {
        return;
    }
    for (uint32_t client = 0; client < core->logs.size(); ++client) {
        Put(core, client, false);
    }
    Judge();
    Wait(*core);
}

void Between::Ended(CoreChecker* core) {
    const bool ran = Count(core, true);
    if (ran) {
        PutAll(core);
    }
    if (Runs()) {
        Judge();
    }
}

/// How long the core's log is now. A core that fails later is none of those that have ended: it and
/// those below have at least so much behind them as the replay begins with. Whether it ran before.
bool Between::Count(CoreChecker* core, bool ended) {
    std::vector<CoreChecker*> before;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        lengths_[core->coreIdx] = LengthOf(*core);
        ended_[core->coreIdx] = ended ? core : nullptr;
        while (firstOpen_ < count_ && ended_[firstOpen_] != nullptr) {
            endedLength_ += lengths_[firstOpen_++];
        }
        if (Runs()) {
            return true;
        }
        if (firstOpen_ == count_ || endedLength_ + lengths_[firstOpen_] < kBegin) {
            return false;
        }
        std::copy_if(ended_.begin(), ended_.end(), std::back_inserter(before),
                     [](const CoreChecker* each) { return each != nullptr; });
        Begin(true);
    }
    for (CoreChecker* const each : before) {
        PutAll(each);
    }
    return false;
}

void Between::Begin(bool all) {
    parts_.resize(count_);
    for (uint32_t core = 0; core < count_; ++core) {
        parts_[core].core = core;
    }
    for (uint32_t core = 0; core < count_; ++core) {
        const bool serves = all ? shape_.aiv != 0 && shape_.KindOf(core) == CoreKind::Aic
                                : checkers_[core] != nullptr && checkers_[core]->logs.size() > 1;
        for (uint32_t client = 1; serves && client <= CoreChecker::kClients; ++client) {
            clients_[{core, client}] = static_cast<uint32_t>(parts_.size());
            parts_.push_back({core, client});
        }
    }
    inbox_ = std::make_unique<Inbox>(parts_.size());
    replay_ =
        std::make_unique<Replay>(shape_, count_, parts_, inbox_.get(),
                                 Replay::Reports{[this](const Clash& clash) { Note(clash); },
                                                 [this](const Part& part, const Doubt& doubt) {
                                                     ++known_[{part.core, doubt.finding}];
                                                 }});
    runs_.store(true, std::memory_order_release);
}

void Between::Put(CoreChecker* core, uint32_t client, bool all) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::vector<Site>& sites = sites_[core->coreIdx];
        const std::vector<Site>& known = core->sites.All();
        sites.insert(sites.end(), known.begin() + static_cast<ptrdiff_t>(sites.size()),
                     known.end());
    }
    CoreLog& log = core->logs[client];
    const uint32_t part = NumberOf(core->coreIdx, client);
    Stretch settled;
    log.TakeSettled(all, &settled);
    inbox_->Put(part, &settled);
    log.SetBehind(inbox_->Behind(part));
}

void Between::PutAll(CoreChecker* core) {
    for (uint32_t client = 0; client < core->logs.size(); ++client) {
        Put(core, client, true);
    }
    for (uint32_t part = 0; part < parts_.size(); ++part) {
        if (parts_[part].core == core->coreIdx) {
            inbox_->End(part);
        }
    }
}

void Between::Judge() {
    const std::unique_lock<std::mutex> lock(replaying_, std::try_to_lock);
    if (!lock.owns_lock()) {
        return;
    }
    const Time::time_point end = Time::now() + kLongestTurn;  // the launch's watchdog looks on
    const uint64_t first = done_;
    uint64_t before = 0;
    do {
        before = done_;
        replay_->Run(kStep);
        done_ = replay_->Done();
    } while (done_ != before && done_ - first < kMostAtOnce && Time::now() < end);
}

/// A core far ahead of the replay lets it come after, as long as it goes on. Nothing depends on it
/// but how much lies between them.
void Between::Wait(const CoreChecker& core) {
    const Time::time_point begin = Time::now();
    Time::time_point moved = begin;
    uint64_t done = done_;
    while (inbox_->Behind(core.coreIdx) >= kAhead && still_ != done_) {
        Judge();
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

bool Between::IsLong(const std::vector<std::unique_ptr<CoreChecker>>& cores) const {
    uint64_t length = 0;
    for (const auto& core : cores) {
        length += LengthOf(*core);
    }
    return length >= kBegin;
}

void Between::Finish(const std::vector<std::unique_ptr<CoreChecker>>& cores) {
    checkers_.assign(count_, nullptr);
    for (const auto& core : cores) {
        checkers_[core->coreIdx] = core.get();
    }
    if (!Runs()) {
        Begin(false);
    }
    for (const auto& core : cores) {
        for (uint32_t client = 0; client < core->logs.size(); ++client) {
            Put(core.get(), client, true);
        }
    }
    for (uint32_t part = 0; part < parts_.size(); ++part) {
        inbox_->End(part);
    }
    replay_->Run();
    for (const auto& core : cores) {
        Findings& all = core->findings;
        for (size_t finding = 0; finding < all.All().size(); ++finding) {
            const auto known = known_.find({core->coreIdx, finding});
            all.TakeBack(finding, known == known_.end() ? 0 : known->second);
        }
        all.DropTakenBack();
    }
}

uint32_t Between::NumberOf(uint32_t core, uint32_t client) const {
    return client == 0 ? core : clients_.at({core, client});
}

Site Between::SiteOf(const Mark& mark) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return sites_[parts_[mark.core].core][mark.access.site];
}

/// Counts the clash for the finding that stands for its two lines.
void Between::Note(const Clash& clash) {
    const Site first = SiteOf(clash.first);
    const Site second = SiteOf(clash.second);
    const uint64_t instruction = uint64_t{clash.second.core} << 32 | clash.second.access.index;
    found_.Note(clash.code, first.where.file, first.where.line, second.where.file,
                second.where.line, instruction);
    const size_t number = found_.Standing();
    if (number == SIZE_MAX) {
        return;
    }
    const Part& from = parts_[clash.first.core];
    const Part& to = parts_[clash.second.core];
    const Place place = {to.core,    to.client,   clash.second.access.sequence,
                         from.core,  from.client, clash.first.access.sequence,
                         clash.begin};
    if (number == places_.size()) {
        places_.push_back(place);
        found_.Add(Describe(clash, first, second));
    } else if (place < places_[number]) {
        places_[number] = place;
        Finding lower = Describe(clash, first, second);
        lower.count = found_.All()[number].count;
        found_.All()[number] = std::move(lower);
    }
}

Finding Between::Describe(const Clash& clash, const Site& first, const Site& second) const {
    const Part& from = parts_[clash.first.core];
    const Part& to = parts_[clash.second.core];
    Finding finding;
    finding.code = clash.code;
    finding.kind = clash.kind;
    finding.memory = "GM";
    finding.begin = clash.begin;
    finding.bytes = clash.bytes;
    // What a server did for its clients counts by client.
    finding.sequence = uint64_t{to.client} << 32 | clash.second.access.sequence;
    for (const GmRange& gm : gm_) {
        if (gm.ContainsDevice(clash.begin)) {
            finding.place = gm.label;
            finding.begin = clash.begin - gm.device;
        }
    }
    finding.first = checkers_[from.core]->PartyOf(first, clash.first.write);
    finding.second = checkers_[to.core]->PartyOf(second, clash.second.write);
    finding.missing = Remedy(clash, finding);
    return finding;
}

}  // namespace twin::hazard
