// SPDX-License-Identifier: Apache-2.0
// The observer that checks a launch for hazards: unordered accesses and wrong uses of flags.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>

#include "core/observer.h"
#include "hazard/core_checker.h"
#include "hazard/inter_core_checker.h"

namespace twin::hazard {
namespace {

class HazardObserver : public Observer {
public:
    explicit HazardObserver(Hazards level) : level_(level) {}

    void OnStart(const LaunchInfo& info) override {
        shape_ = info.shape;
        interCore_ = std::make_unique<InterCoreChecker>(info);
        workspaces_ = std::make_unique<Workspaces>(info.gm);
    }
    CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) override {
        const uint32_t place = kind == CoreKind::Aic ? 0 : shape_.aic + subBlock;
        const CoreId id{block, subBlock, kind, block * shape_.Cores() + place};
        auto core =
            std::make_unique<CoreChecker>(level_, id, interCore_.get(), lines_, workspaces_.get());
        const std::lock_guard<std::mutex> lock(mutex_);
        return cores_.emplace_back(std::move(core)).get();
    }

    Verdict Judge(const LaunchInfo& info) override {
        Keep(info);
        const std::string code = info.message.substr(0, info.message.find(' '));
        if (info.status != 0 && !Knows(code)) {
            return {};  // the launch's own error explains more than a hazard
        }
        std::vector<Finding> found;
        bool incomplete = info.status != 0 && IsLong();
        if (incomplete) {
            for (const auto& core : cores_) {
                core->Found().DropTentative();
                DropReads(core.get(), [](const Finding&) { return true; });
            }
        } else {
            found = JudgeTogether(info);
            DropRacyReads(found);
        }
        for (const auto& core : cores_) {
            core->Found().Complete();
            const auto& all = core->Found().All();
            found.insert(found.end(), all.begin(), all.end());
            incomplete = incomplete || core->Found().Incomplete() || core->Logs().Full();
        }
        const Report report =
            MakeReport(std::move(found), Comments(info.image->Comments()), incomplete,
                       level_ == Hazards::Explicit ? "explicit" : "auto-sync", info.message);
        return {report.message, report.json, report.kind};
    }
    void OnEnd(const LaunchInfo&) override {}

private:
    /// Sorts the cores by number. Drops all cores with a higher number than a failed core: their
    /// progress depends on the thread schedule.
    void Keep(const LaunchInfo& info) {
        const uint32_t failedCore = info.failedCore;
        std::sort(cores_.begin(), cores_.end(),
                  [](const auto& a, const auto& b) { return a->Index() < b->Index(); });
        cores_.erase(
            std::remove_if(cores_.begin(), cores_.end(),
                           [failedCore](const auto& core) { return core->Index() > failedCore; }),
            cores_.end());
    }
    /// Returns true if a core has a finding with the code of the launch's error.
    bool Knows(const std::string& code) const {
        return std::any_of(cores_.begin(), cores_.end(), [&code](const auto& core) {
            const auto& all = core->Found().All();
            return std::any_of(all.begin(), all.end(),
                               [&code](const Finding& finding) { return code == finding.code; });
        });
    }

    bool IsLong() const {
        uint64_t length = 0;
        for (const auto& core : cores_) {
            length += core->Logs().Length();
        }
        return InterCoreChecker::IsLong(length);
    }
    /// Returns the findings between cores. Drops a core's own findings whose accesses other cores
    /// have ordered.
    std::vector<Finding> JudgeTogether(const LaunchInfo& info) {
        std::vector<InterCoreChecker::CoreSegments> logs;
        for (const auto& core : cores_) {
            interCore_->AddSites(core->Index(), core->Found().AllSites());
            logs.push_back({core->Index(), core->Logs().TakeAll()});
        }
        const InterCoreChecker::OrderedCounts& ordered = interCore_->Finish(std::move(logs));
        for (const auto& core : cores_) {
            std::vector<uint64_t> counts(core->Found().All().size());
            for (size_t finding = 0; finding < counts.size(); ++finding) {
                const auto count = ordered.find({core->Index(), finding});
                counts[finding] = count == ordered.end() ? 0 : count->second;
            }
            core->Found().Drop(counts);
        }
        if (info.status == 0) {
            std::vector<CoreFlags> flags(info.blockDim * info.shape.Cores());
            for (uint32_t core = 0; core < flags.size(); ++core) {
                flags[core].core = IdOf(info.shape, core);
            }
            for (const auto& core : cores_) {
                flags[core->Index()] = core->Flags();
            }
            FindLeftFlags(info.shape, std::move(flags), &interCore_->Found());
        }
        return DirectRaces();
    }
    /// Drops a finding about unwritten bytes of a workspace if the read races with another core.
    /// Then the thread schedule decides whether the bytes have been written before the read.
    void DropRacyReads(const std::vector<Finding>& races) {
        const auto at = [](const Party& one, const Party& other) {
            return one.line == other.line && one.file == other.file;
        };
        for (const auto& core : cores_) {
            DropReads(core.get(), [&](const Finding& read) {
                return std::any_of(races.begin(), races.end(), [&](const Finding& race) {
                    return race.memory == "GM" &&
                           (at(race.first, read.second) || at(race.second, read.second));
                });
            });
        }
    }
    /// Drops the core's findings about unwritten bytes of a workspace for which drops(finding)
    /// returns true.
    template <typename Drops>
    static void DropReads(CoreChecker* core, Drops&& drops) {
        const std::vector<Finding>& all = core->Found().All();
        std::vector<uint64_t> counts(all.size());
        for (size_t i = 0; i < all.size(); ++i) {
            const bool unwritten = std::strcmp(all[i].code, "T820") == 0 && all[i].memory == "GM";
            counts[i] = unwritten && drops(all[i]) ? all[i].count : 0;
        }
        core->Found().Drop(counts);
    }
    /// Returns the checker of a core; nullptr if the core was dropped.
    CoreChecker* CheckerOf(uint32_t core) const {
        const auto found = std::find_if(cores_.begin(), cores_.end(),
                                        [core](const auto& each) { return each->Index() == core; });
        return found == cores_.end() ? nullptr : found->get();
    }
    /// Returns true if both vector cores of a block made the same Matmul request, so that the order
    /// of the two accesses does not change the values in C.
    bool OfEqualRequests(const CoreAccess& first, const CoreAccess& second) const {
        const bool swapped = interCore_->Logical(first.core).client == 0;
        const CoreAccess& served = swapped ? second : first;
        const CoreAccess& other = swapped ? first : second;
        const LogicalCore& by = interCore_->Logical(served.core);
        const LogicalCore& with = interCore_->Logical(other.core);
        CoreChecker* const server = CheckerOf(by.core);
        CoreChecker* const reader = CheckerOf(with.core);
        if (server == nullptr || reader == nullptr) {
            return false;
        }
        if (with.client != 0) {
            const uint64_t asked = server->Service().RequestOf(by.client, served.access);
            return asked != 0 && asked == server->Service().RequestOf(with.client, other.access);
        }
        const uint32_t client = reader->Id().subBlock + 1;
        return served.write && !other.write && client != by.client &&
               server->Service().AskedBoth(by.client, served.access, client,
                                           reader->Service().AskedBefore(other.access.sequence));
    }
    /// Completes the findings between cores. Removes findings about atomic requests that are not
    /// equal. At auto-sync, also removes findings about a cube core that computes the same product
    /// for both of its vector cores: it writes the same values twice.
    std::vector<Finding> DirectRaces() {
        interCore_->NameCallers([this](uint32_t core, uint32_t site) {
            CoreChecker* const checker = CheckerOf(core);
            const bool tells = checker != nullptr && checker->Found().Calls().TellsCallers(site);
            return tells ? checker->Found().Calls().CallersOf(site) : std::vector<Location>();
        });
        interCore_->Direct([this](const CoreAccess& first, const CoreAccess& second) {
            return OfEqualRequests(first, second);
        });
        std::vector<Finding> found = interCore_->Found().All();
        const auto harmless = [this](const Finding& each) {
            return std::strcmp(each.code, "T814") == 0
                       ? !each.sameRequest
                       : each.sameRequest && level_ == Hazards::AutoSync;
        };
        found.erase(std::remove_if(found.begin(), found.end(), harmless), found.end());
        return found;
    }

    const Hazards level_;
    BlockShape shape_ = {};
    std::unique_ptr<InterCoreChecker> interCore_;
    const std::shared_ptr<CallLines> lines_ = std::make_shared<CallLines>();
    std::unique_ptr<Workspaces> workspaces_;
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
