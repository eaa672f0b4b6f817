// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "core/core.h"
#include "hazard/core_checker.h"

namespace twin::hazard {
namespace {

/// Finds cross-core flags that are still set when a launch ends.
class LeftFlags {
public:
    LeftFlags(BlockShape shape, std::vector<CoreFlags> cores)
        : shape_(shape), cores_(std::move(cores)) {}

    void Find(uint32_t flag, Findings* found) {
        flag_ = flag;
        raised_.assign(cores_.size(), 0);
        setters_.assign(cores_.size(), nullptr);
        for (const CoreKind kind : {CoreKind::Aic, CoreKind::Aiv}) {
            Count(0, kind, 0, static_cast<uint32_t>(cores_.size()), found);
            for (uint32_t core = 0; core < cores_.size(); core += shape_.Cores()) {
                Count(1, kind, core, core + shape_.Cores(), found);
                Count(2, kind, core, core + shape_.Cores(), found);
            }
        }
        for (size_t core = 0; core < cores_.size(); ++core) {
            const uint32_t waits = Acts(core) ? Use(core).waits : 0;
            if (raised_[core] > waits) {
                Add(*setters_[core],
                    "CrossCoreWaitFlag(" + std::to_string(flag_) + ") on core " +
                        cores_[core].core.Text() + " before the kernel returns",
                    found);
            }
        }
    }

private:
    bool Acts(size_t core) const { return cores_[core].flags != nullptr; }
    const CrossFlagUse& Use(size_t core) const { return cores_[core].flags->CrossUse(flag_); }

    /// Counts how often all cores of this kind have set the flag; reports surplus sets.
    void Count(uint32_t mode, CoreKind kind, uint32_t first, uint32_t end, Findings* found) {
        uint32_t events = UINT32_MAX;
        const CoreFlags* setter = nullptr;  // first core that sets the flag
        for (uint32_t core = first; core < end; ++core) {
            if (shape_.KindOf(core) == kind) {
                const uint32_t sets = Acts(core) ? Use(core).sets[mode] : 0;
                events = std::min(events, sets);
                setter = setter == nullptr && sets != 0 ? &cores_[core] : setter;
            }
        }
        for (uint32_t core = first; setter != nullptr && core < end; ++core) {
            const bool sets = shape_.KindOf(core) == kind;
            if (sets && Acts(core) && Use(core).sets[mode] > events) {
                Add(cores_[core],
                    "as many CrossCoreSetFlag<" + std::to_string(mode) + ", ...>(" +
                        std::to_string(flag_) + ") on " +
                        (mode == 0 ? "all cores" : "the other cores of the block"),
                    found);
            }
            // Mode 2 raises counters of the other kind of core; modes 0 and 1 of the same kind.
            if (sets == (mode != 2) && events != 0) {
                raised_[core] += events;
                setters_[core] = setter;
            }
        }
    }

    void Add(const CoreFlags& setter, const std::string& missing, Findings* found) const {
        const CrossFlagUse& use = setter.flags->CrossUse(flag_);
        const uint64_t number = uint64_t{setter.core.index} << 32 | use.sequence;
        if (!found->Note("T306", nullptr, 0, use.where.file, use.where.line, number)) {
            return;
        }
        Finding finding;
        finding.code = "T306";
        finding.kind = "flag left set";
        finding.memory = "flag";
        finding.place = "between cores, flag " + std::to_string(flag_);
        finding.sequence = use.sequence;
        finding.second =
            PartyOf(setter.core, use.where, Opcode::CrossCoreSet, use.pipe, Action::Sets);
        finding.missing = missing;
        found->Add(std::move(finding));
    }

    const BlockShape shape_;
    const std::vector<CoreFlags> cores_;
    uint32_t flag_ = 0;
    std::vector<uint32_t> raised_;           ///< by core: how often the core's counter was raised
    std::vector<const CoreFlags*> setters_;  ///< by core: who set the flag and raised the counter
};

}  // namespace

/// Returns who uses the flag. If a TPipe sets the flag at its start or waits for the flag at its
/// end, the user is the library.
FlagProtocol::User FlagProtocol::UserOf(QueueEvent cause, bool set) {
    if (cause == QueueEvent::None) {
        return User::Hand;
    }
    return cause == QueueEvent::Drain || (cause == QueueEvent::Alloc && set) ? User::Library
                                                                             : User::Queue;
}

void FlagProtocol::Check(const Instruction& i, const record::Flag& use, CoreFindings* findings) {
    const auto event = static_cast<uint32_t>(use.event);
    const auto id = static_cast<uint32_t>(use.id);
    const HardEventInfo& info = EventInfo(event);
    FlagState& flag = flags_[event][id];
    const User user = UserOf(use.cause, use.set);
    // Flags are used often, so these functions build the texts only if there is a finding.
    const auto name = [&] { return std::string(info.name) + " id " + std::to_string(id); };
    const auto typed = [&] {
        return "<HardEvent::" + std::string(info.name) + ">(" + std::to_string(id) + ")";
    };
    const auto party = [&] {
        return PartyOf(findings->Id(), i.where, i.opcode, i.pipe,
                       use.set ? Action::Sets : Action::Waits);
    };
    if (use.set) {
        if (flag.set) {
            findings->AddFlag("T302", "flag set twice", &flag.where, party(), name(),
                              flag.user == User::Library || user == User::Library
                                  ? "another event id: TPipe uses ids 0 to 2 of M_MTE1 itself"
                                  : "WaitFlag" + typed() +
                                        " between the two, or an event id of its own (" +
                                        "AllocEventID reserves an id, FetchEventID does not)",
                              i.sequence);
        }
        flag = {true, user, i.where, i.sequence};
    } else {
        if (!flag.set) {
            findings->AddFlag("T303", "wait never set", nullptr, party(), name(),
                              "SetFlag" + typed() + " before " + LineOf(party(), party()),
                              i.sequence);
        } else if (flag.user != user && flag.user != User::Library && user != User::Library) {
            findings->AddFlag("T840", "event id shared by queue and hand", &flag.where, party(),
                              name(),
                              "AllocEventID<HardEvent::" + std::string(info.name) +
                                  "> for the flag that is set by hand",
                              i.sequence);
        }
        flag.set = false;
    }
}

void FlagProtocol::End(CoreFindings* findings) const {
    for (uint32_t event = 0; event < kHardEvents; ++event) {
        for (uint32_t id = 0; id < kEventIds; ++id) {
            const FlagState& flag = flags_[event][id];
            if (!flag.set) {
                continue;
            }
            const HardEventInfo& info = EventInfo(event);
            findings->AddFlag(
                "T306", "flag left set", nullptr,
                PartyOf(findings->Id(), flag.where, Opcode::SetFlag, info.source, Action::Sets),
                std::string(info.name) + " id " + std::to_string(id),
                flag.user == User::Queue ? "DeQue, and FreeTensor, for every EnQue"
                                         : "WaitFlag<HardEvent::" + std::string(info.name) + ">(" +
                                               std::to_string(id) + ") before the kernel returns",
                flag.sequence);
        }
    }
}

void FlagProtocol::NoteCrossSet(const Instruction& i, const record::CrossFlag& flag,
                                const Clock& ended) {
    CrossFlagUse& use = crossUses_[flag.id];
    ++use.sets[flag.mode];
    use.where = i.where;
    use.pipe = i.pipe;
    use.sequence = i.sequence;
    // In modes 0 and 1 the counter goes up only after this core's own set.
    if (flag.mode < 2) {
        ownSets_[flag.id].push_back(ended);
    }
}

std::optional<Clock> FlagProtocol::NoteCrossWait(const record::CrossFlag& flag) {
    ++crossUses_[flag.id].waits;
    std::deque<Clock>& own = ownSets_[flag.id];
    if (own.empty()) {
        return std::nullopt;
    }
    const Clock ended = own.front();
    own.pop_front();
    return ended;
}

void FindLeftFlags(BlockShape shape, std::vector<CoreFlags> cores, Findings* found) {
    if (shape.Cores() == 0) {
        return;  // no core has started
    }
    LeftFlags left(shape, std::move(cores));
    for (uint32_t flag = 0; flag < CrossCoreFlags::kFlags; ++flag) {
        left.Find(flag, found);
    }
}

}  // namespace twin::hazard
