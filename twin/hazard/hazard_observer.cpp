// SPDX-License-Identifier: Apache-2.0
// The observer that judges a launch by the order of its accesses.
#include <algorithm>
#include <memory>
#include <mutex>

#include "core/observer.h"
#include "hazard/between.h"
#include "hazard/comments.h"
#include "hazard/core_checker.h"
#include "hazard/left_flags.h"

namespace twin::hazard {
namespace {

class HazardObserver : public Observer {
public:
    explicit HazardObserver(Hazards level) : level_(level) {}

    void OnStart(const LaunchInfo& info) override {
        shape_ = info.shape;
        between_ = std::make_unique<Between>(info);
    }
    CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) override {
        const uint32_t place = kind == CoreKind::Aic ? 0 : shape_.aic + subBlock;
        auto core = std::make_unique<CoreChecker>(level_, block, subBlock, kind,
                                                  block * shape_.Cores() + place, between_.get());
        between_->Add(core.get());
        const std::lock_guard<std::mutex> lock(mutex_);
        cores_.push_back(std::move(core));
        return cores_.back().get();
    }

    Verdict Judge(const LaunchInfo& info) override {
        Keep(info);
        const std::string code = info.message.substr(0, info.message.find(' '));
        if (info.status != 0 && !Knows(code)) {
            return {};  // what ended the launch says more than the order of what came before
        }
        bool incomplete = info.status != 0 && between_->IsLong(cores_);
        if (incomplete) {
            for (const auto& core : cores_) {
                core->TakeBackDoubts();
            }
        } else {
            between_->Finish(cores_);
            if (info.status == 0) {
                FindLeftFlags(info.shape, between_->Cores(), &between_->Found());
            }
        }
        std::vector<Finding> found;
        if (!incomplete) {
            found = between_->Found().All();
        }
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

    const Hazards level_;
    BlockShape shape_ = {};
    std::unique_ptr<Between> between_;
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
