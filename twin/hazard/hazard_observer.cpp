// SPDX-License-Identifier: Apache-2.0
// The observer that judges a launch by the order of its accesses.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "core/observer.h"
#include "hazard/comments.h"
#include "hazard/core_checker.h"
#include "hazard/left_flags.h"
#include "hazard/replay.h"

namespace twin::hazard {
namespace {

/// Core, client and place in the program of both accesses, and where they meet. Of several clashes
/// at two lines the lowest is told of, so that it is the same one on every schedule.
using Place = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint64_t>;

class HazardObserver : public Observer {
public:
    explicit HazardObserver(Hazards level) : level_(level) {}

    CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        cores_.push_back(std::make_unique<CoreChecker>(level_, block, subBlock, kind));
        return cores_.back().get();
    }

    Verdict Judge(const LaunchInfo& info) override {
        Keep(info);
        const std::string code = info.message.substr(0, info.message.find(' '));
        if (info.status != 0 && !Knows(code)) {
            return {};  // what ended the launch says more than the order of what came before
        }
        std::vector<Finding> found;
        bool incomplete = false;
        Between(info, &found);
        for (const auto& core : cores_) {
            const auto& all = core->findings.All();
            found.insert(found.end(), all.begin(), all.end());
            incomplete = incomplete || core->findings.Incomplete() ||
                         std::any_of(core->logs.begin(), core->logs.end(),
                                     [](const CoreLog& log) { return log.Full(); });
        }
        const Report report =
            MakeReport(std::move(found), Comments(info.image->Comments()), incomplete,
                       level_ == Hazards::Explicit ? "explicit" : "auto-sync", info.message);
        return {report.message, report.json, report.kind};
    }
    void OnEnd(const LaunchInfo&) override {}

private:
    /// In order of cores. How far those above one that failed have come is up to the schedule.
    void Keep(const LaunchInfo& info) {
        const uint32_t failedCore = info.failedCore;
        for (const auto& core : cores_) {
            const bool cube = core->kind == CoreKind::Aic;
            core->coreIdx =
                core->block * info.shape.Cores() + (cube ? 0 : info.shape.aic + core->subBlock);
            for (Finding& finding : core->findings.All()) {
                finding.first.coreIdx = finding.second.coreIdx = core->coreIdx;
            }
        }
        std::sort(cores_.begin(), cores_.end(),
                  [](const auto& a, const auto& b) { return a->coreIdx < b->coreIdx; });
        cores_.erase(
            std::remove_if(cores_.begin(), cores_.end(),
                           [failedCore](const auto& core) { return core->coreIdx > failedCore; }),
            cores_.end());
    }
    /// Whether a failure is a finding, too.
    bool Knows(const std::string& code) const {
        return std::any_of(cores_.begin(), cores_.end(), [&code](const auto& core) {
            const auto& all = core->findings.All();
            return std::any_of(all.begin(), all.end(),
                               [&code](const Finding& finding) { return code == finding.code; });
        });
    }
    void Between(const LaunchInfo& info, std::vector<Finding>* found) {
        const uint32_t count = info.blockDim * info.shape.Cores();
        std::vector<const CoreChecker*> checkers(count);
        for (const auto& core : cores_) {
            checkers[core->coreIdx] = core.get();
        }
        const std::vector<Part> parts = PartsOf(checkers);
        Findings known;
        std::vector<Place> places;
        Replay replay(info.shape, count, parts, [&](const Clash& clash) {
            const Part& first = parts[clash.first.core];
            const Part& second = parts[clash.second.core];
            const CoreChecker& one = *checkers[first.core];
            const CoreChecker& other = *checkers[second.core];
            const Place place = {second.core, second.client, clash.second.access.sequence,
                                 first.core,  first.client,  clash.first.access.sequence,
                                 clash.begin};
            const size_t number = Note(clash, one, other, &known);
            if (number == places.size()) {
                places.push_back(place);
                known.Add(Describe(info, clash, one, other, second));
            } else if (number != SIZE_MAX && place < places[number]) {
                places[number] = place;
                Finding lower = Describe(info, clash, one, other, second);
                lower.count = known.All()[number].count;
                known.All()[number] = std::move(lower);
            }
        });
        replay.Run();
        for (const auto& core : cores_) {
            core->Settle([&](const CoreChecker::Doubt& doubt) {
                const auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& each) {
                    return each.core == core->coreIdx && each.client == doubt.part;
                });
                return replay.Knew(static_cast<uint32_t>(part - parts.begin()), doubt.meetings,
                                   doubt.lane, doubt.index);
            });
        }
        if (info.status == 0) {
            FindLeftFlags(info.shape, checkers, &known);
        }
        found->insert(found->end(), known.All().begin(), known.All().end());
    }
    static std::vector<Part> PartsOf(const std::vector<const CoreChecker*>& checkers) {
        std::vector<Part> parts(checkers.size());
        for (uint32_t core = 0; core < checkers.size(); ++core) {
            parts[core].core = core;
            if (checkers[core] == nullptr) {
                continue;
            }
            const std::vector<CoreLog>& logs = checkers[core]->logs;
            parts[core].log = &logs[0];
            for (uint32_t client = 1; client < logs.size(); ++client) {
                parts.push_back({&logs[client], core, client});
            }
        }
        return parts;
    }
    /// The number of the finding that stands for its two lines, and now counts it; SIZE_MAX: none.
    static size_t Note(const Clash& clash, const CoreChecker& first, const CoreChecker& second,
                       Findings* known) {
        const Location& from = first.sites[clash.first.access.site].where;
        const Location& to = second.sites[clash.second.access.site].where;
        const uint64_t instruction = uint64_t{clash.second.core} << 32 | clash.second.access.index;
        known->Note(clash.code, from.file, from.line, to.file, to.line, instruction);
        return known->Standing();
    }
    static Finding Describe(const LaunchInfo& info, const Clash& clash, const CoreChecker& first,
                            const CoreChecker& second, const Part& part) {
        Finding finding;
        finding.code = clash.code;
        finding.kind = clash.kind;
        finding.memory = "GM";
        finding.begin = clash.begin;
        finding.bytes = clash.bytes;
        // What a server did for its clients counts by client.
        finding.sequence = uint64_t{part.client} << 32 | clash.second.access.sequence;
        for (const GmRange& gm : info.gm) {
            if (gm.ContainsDevice(clash.begin)) {
                finding.place = gm.label;
                finding.begin = clash.begin - gm.device;
            }
        }
        finding.first = first.PartyOf(clash.first.access, clash.first.write);
        finding.second = second.PartyOf(clash.second.access, clash.second.write);
        finding.missing = Remedy(clash, finding);
        return finding;
    }
    static std::string Remedy(const Clash& clash, const Finding& finding) {
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

    const Hazards level_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<CoreChecker>> cores_;
};

std::unique_ptr<Observer> Make(const Settings& settings) {
    return settings.hazards == Hazards::Off ? nullptr
                                            : std::make_unique<HazardObserver>(settings.hazards);
}

const bool kAdded = (AddObserverMaker(&Make), true);

}  // namespace
}  // namespace twin::hazard
