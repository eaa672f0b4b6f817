// SPDX-License-Identifier: Apache-2.0
#include "hazard/left_flags.h"

#include <algorithm>
#include <string>

namespace twin::hazard {
namespace {

/// What is left of one flag.
class LeftFlags {
public:
    LeftFlags(BlockShape shape, const std::vector<const CoreChecker*>& cores, uint32_t flag,
              Findings* found)
        : shape_(shape),
          cores_(cores),
          flag_(flag),
          found_(found),
          raised_(cores.size(), 0),
          setters_(cores.size(), nullptr) {}

    void Find() {
        for (const CoreKind kind : {CoreKind::Aic, CoreKind::Aiv}) {
            Count(0, kind, 0, static_cast<uint32_t>(cores_.size()));
            for (uint32_t core = 0; core < cores_.size(); core += shape_.Cores()) {
                Count(1, kind, core, core + shape_.Cores());
                Count(2, kind, core, core + shape_.Cores());
            }
        }
        for (size_t core = 0; core < cores_.size(); ++core) {
            const uint32_t waits = cores_[core] == nullptr ? 0 : Use(core).waits;
            if (raised_[core] > waits) {
                const CoreChecker& setter = *setters_[core];
                const CoreChecker::CrossUse& use = setter.crossUses[flag_];
                Add(setter, use,
                    "CrossCoreWaitFlag(" + std::to_string(flag_) + ") on core " + NameOf(core) +
                        " before the kernel returns");
            }
        }
    }

private:
    const CoreChecker::CrossUse& Use(size_t core) const { return cores_[core]->crossUses[flag_]; }

    /// Sets of the cores of one kind in [first, end), which together make an event.
    void Count(uint32_t mode, CoreKind kind, uint32_t first, uint32_t end) {
        uint32_t events = UINT32_MAX;
        const CoreChecker* setter = nullptr;  // the first one
        for (uint32_t core = first; core < end; ++core) {
            if (shape_.KindOf(core) == kind) {
                const uint32_t sets = cores_[core] == nullptr ? 0 : Use(core).sets[mode];
                events = std::min(events, sets);
                setter = setter == nullptr && sets != 0 ? cores_[core] : setter;
            }
        }
        for (uint32_t core = first; setter != nullptr && core < end; ++core) {
            const bool sets = shape_.KindOf(core) == kind;
            if (sets && cores_[core] != nullptr && Use(core).sets[mode] > events) {
                const CoreChecker::CrossUse& use = Use(core);
                Add(*cores_[core], use,
                    "as many CrossCoreSetFlag<" + std::to_string(mode) + ", ...>(" +
                        std::to_string(flag_) + ") on " +
                        (mode == 0 ? "all cores" : "the other cores of the block"));
            }
            // Mode 2 goes to the other kind, the others come back to those who set.
            if (sets == (mode != 2) && events != 0) {
                raised_[core] += events;
                setters_[core] = setter;
            }
        }
    }

    void Add(const CoreChecker& setter, const CoreChecker::CrossUse& use,
             const std::string& missing) {
        const uint64_t number = uint64_t{setter.coreIdx} << 32 | use.sequence;
        if (!found_->Note("T306", nullptr, 0, use.where.file, use.where.line, number)) {
            return;
        }
        Finding finding;
        finding.code = "T306";
        finding.kind = "flag left set";
        finding.memory = "flag";
        finding.place = "between cores, flag " + std::to_string(flag_);
        finding.sequence = use.sequence;
        finding.second = setter.PartyOf(use.where, "CrossCoreSet", use.pipe);
        finding.missing = missing;
        found_->Add(std::move(finding));
    }

    std::string NameOf(size_t core) const {
        const auto index = static_cast<uint32_t>(core);
        const uint32_t sub = shape_.SubBlockOf(index);
        return std::to_string(shape_.BlockOf(index)) + " " + Name(shape_.KindOf(index)) +
               (sub == 0 ? "" : std::to_string(sub));
    }

    const BlockShape shape_;
    const std::vector<const CoreChecker*>& cores_;
    const uint32_t flag_;
    Findings* const found_;
    std::vector<uint32_t> raised_;             ///< by core: events of the flag
    std::vector<const CoreChecker*> setters_;  ///< by core: one that raised its counter
};

}  // namespace

void FindLeftFlags(BlockShape shape, const std::vector<const CoreChecker*>& cores,
                   Findings* found) {
    if (shape.Cores() == 0) {
        return;  // nobody was there
    }
    for (uint32_t flag = 0; flag < CrossCoreFlags::kFlags; ++flag) {
        LeftFlags(shape, cores, flag, found).Find();
    }
}

}  // namespace twin::hazard
