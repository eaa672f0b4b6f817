// SPDX-License-Identifier: Apache-2.0
// Flags of a core: every one set once, waited for once, by the same hand.
#include <cstring>

#include "core/types.h"
#include "hazard/core_checker.h"

namespace twin::hazard {
namespace {

/// What a TPipe sets when it starts and takes back when it ends is for the library's matrix code.
FlagUser UserOf(QueueEvent cause, bool set) {
    if (cause == QueueEvent::None) {
        return FlagUser::Hand;
    }
    return cause == QueueEvent::Drain || (cause == QueueEvent::Alloc && set) ? FlagUser::Library
                                                                             : FlagUser::Queue;
}

}  // namespace

void CoreChecker::FlagFinding(const char* code, const char* kind, const Party& second,
                              const FlagState* first, const std::string& flag,
                              const std::string& missing, uint64_t sequence) {
    static const Location kNowhere;
    const Location& before = first == nullptr ? kNowhere : first->where;
    if (!findings.Note(code, before.file, before.line, nullptr, second.line, sequence)) {
        return;
    }
    Finding finding;
    finding.code = code;
    finding.kind = kind;
    finding.memory = "flag";
    finding.place = flag;
    finding.sequence = sequence;
    finding.second = second;
    if (first != nullptr) {
        finding.first = PartyOf(first->where, "SetFlag", second.pipe);
    }
    finding.missing = missing;
    findings.Add(std::move(finding));
}

void CoreChecker::Flag(const Instruction& i, const record::Flag& use) {
    const auto event = static_cast<uint32_t>(use.event);
    const auto id = static_cast<uint32_t>(use.id);
    const HardEventInfo& info = EventInfo(event);
    FlagState& flag = flags_[event][id];
    const FlagUser user = UserOf(use.cause, use.set);
    // Words for a finding only: flags are frequent.
    const auto name = [&] { return std::string(info.name) + " id " + std::to_string(id); };
    const auto typed = [&] {
        return "<HardEvent::" + std::string(info.name) + ">(" + std::to_string(id) + ")";
    };
    const auto party = [&] { return PartyOf(i.where, Name(i.opcode), i.pipe); };
    if (use.set) {
        if (flag.set) {
            FlagFinding("T302", "flag set twice", party(), &flag, name(),
                        "WaitFlag" + typed() + " between the two, or an event id of its own (" +
                            "FetchEventID gives the same one again until it is reserved)",
                        i.sequence);
        }
        flag = {true, user, i.where, i.sequence};
        clocks_.SetFlag(event, id, LaneOf(info.source));
    } else {
        if (!flag.set) {
            FlagFinding("T303", "wait never set", party(), nullptr, name(),
                        "SetFlag" + typed() + " before line " + std::to_string(i.where.line),
                        i.sequence);
        } else if (flag.user != user && flag.user != FlagUser::Library &&
                   user != FlagUser::Library) {
            FlagFinding("T840", "event id shared by queue and hand", party(), &flag, name(),
                        "AllocEventID<HardEvent::" + std::string(info.name) +
                            "> for the flag that is set by hand",
                        i.sequence);
        }
        flag.set = false;
        clocks_.WaitFlag(event, id, LaneOf(info.destination));
    }
    if (use.queue >= 0) {
        const auto key = static_cast<uint32_t>(use.queue) << 16 | static_cast<uint16_t>(use.slot);
        if (use.cause == QueueEvent::Free) {
            freed_[key] = i.where;
        } else {
            freed_.erase(key);
        }
    }
}

void CoreChecker::EndFlags() {
    for (uint32_t event = 0; event < kHardEvents; ++event) {
        for (uint32_t id = 0; id < kEventIds; ++id) {
            const FlagState& flag = flags_[event][id];
            if (!flag.set) {
                continue;
            }
            const HardEventInfo& info = EventInfo(event);
            FlagFinding("T306", "flag left set", PartyOf(flag.where, "SetFlag", info.source),
                        nullptr, std::string(info.name) + " id " + std::to_string(id),
                        flag.user == FlagUser::Queue
                            ? "DeQue, and FreeTensor, for every EnQue"
                            : "WaitFlag<HardEvent::" + std::string(info.name) + ">(" +
                                  std::to_string(id) + ") before the kernel returns",
                        flag.sequence);
        }
    }
}

/// What ends the kernel by itself and is a finding of this kind.
void CoreChecker::OnFailure(const char* code, const char* text) {
    static const char* const kCodes[] = {"T317", "T415"};
    for (const char* const known : kCodes) {
        if (std::strcmp(code, known) == 0 && core_ != nullptr) {
            const std::string sentence = text;
            Finding finding;
            finding.code = known;
            finding.kind = known == kCodes[0] ? "too many sets" : "scratch over live data";
            finding.memory = known == kCodes[0] ? "flag" : "UB";
            finding.place = sentence.substr(0, sentence.find('\n'));
            const size_t remedy = sentence.find("try: ");
            finding.missing = remedy == std::string::npos ? "" : sentence.substr(remedy + 5);
            finding.sequence = core_->sequence;
            finding.second = PartyOf(core_->where, core_->where.function, Pipe::S);
            findings.Add(std::move(finding));
        }
    }
}

}  // namespace twin::hazard
