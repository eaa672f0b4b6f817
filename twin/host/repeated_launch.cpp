// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/core.h"
#include "host/launch_arguments.h"

namespace twin::host {
namespace {

/// Base-2 logarithm of 512, the bytes of a line. Accesses to GM are recorded per line. Each GM
/// range of a launch begins at a new line, so a line belongs to only one range.
constexpr uint32_t kLineShift = 9;

/// Settings of one repetition of a launch; none of them may change the results.
struct Variation {
    const char* what;
    /// Fill pattern of outputs and workspaces. Bytes that the kernel never writes keep the pattern.
    uint32_t poison;
    uint32_t local;      ///< fill pattern of local memories
    uint64_t coreOrder;  ///< 0: the user's setting
    uint32_t threads;    ///< 0: the user's setting
    Hazards hazards;     ///< the hazard checks run at least at this level
};
constexpr Variation kVariations[] = {
    {"outputs and workspaces filled with 0xffc0dead", kPoison, kPoison, 0, 0, Hazards::Off},
    {"outputs and workspaces filled with 0x5a5a5a5a, local memories with 0x3c3c3c3c, blocks in "
     "another order, 1 thread",
     0x5a5a5a5a, 0x3c3c3c3c, 11, 1, Hazards::Off},
    {"outputs and workspaces filled with 0xffc0dead, blocks in a third order", kPoison, kPoison, 12,
     0, Hazards::Off},
    {"hazards on (auto-sync)", kPoison, kPoison, 0, 0, Hazards::AutoSync},
};

using Bytes = std::vector<uint8_t>;

struct Place {
    uint8_t* begin;
    std::string name;
    GmRole role;
    Bytes before;
    Bytes after;             ///< contents after the first launch
    std::vector<bool> kept;  ///< flags of bytes that no repetition so far has overwritten
    bool workspace = false;
    bool argument = false;

    /// Returns true if repetitions fill this range before the launch. A range that the kernel reads
    /// and writes keeps its old values, because the kernel may add to them.
    bool Poisoned() const { return workspace || (role.written && !role.read); }
};

std::vector<Place> Places(const LaunchSpec& spec) {
    std::vector<Place> places;
    GmRegistry::Instance().ForEach([&](const GmRange& range) {
        if (range.readOnly) {
            return;
        }
        Place place;
        place.begin = reinterpret_cast<uint8_t*>(range.begin);
        place.name = range.label;
        for (const GmRange& window : spec.windows) {
            if (range.Contains(window.begin)) {
                place.name = window.label;
                place.argument = true;
            }
        }
        for (const void* const argument : spec.args) {
            place.argument |= range.Contains(reinterpret_cast<uintptr_t>(argument));
        }
        place.workspace = IsWorkspace(place.name);
        place.before.assign(place.begin, place.begin + range.bytes);
        places.push_back(std::move(place));
    });
    return places;
}

uint8_t ByteOf(uint32_t poison, size_t at) {
    return static_cast<uint8_t>(poison >> (at % sizeof(poison) * 8));
}

void Put(const Bytes& bytes, uint8_t* begin) { std::memcpy(begin, bytes.data(), bytes.size()); }

std::string Hex(uint8_t byte) {
    char text[8];
    std::snprintf(text, sizeof(text), "0x%02x", byte);
    return text;
}

/// Returns an error for the first range that changed although no instruction wrote to it, or "".
std::string FindChangedInput(const std::vector<Place>& places) {
    for (const Place& place : places) {
        const auto differ =
            std::mismatch(place.before.begin(), place.before.end(), place.after.begin());
        if (!place.role.written && differ.first != place.before.end()) {
            return "T613 input changed: byte " +
                   std::to_string(differ.first - place.before.begin()) + " of " + place.name +
                   " was " + Hex(*differ.first) + " and is " + Hex(*differ.second) +
                   ", but no instruction of the kernel wrote there\n  try: look for a write "
                   "through "
                   "a raw pointer";
        }
    }
    return "";
}

void Prepare(const Variation& variation, std::vector<Place>* places) {
    for (Place& place : *places) {
        Put(place.before, place.begin);
        for (size_t i = 0; place.Poisoned() && i < place.before.size(); ++i) {
            place.begin[i] = ByteOf(variation.poison, i);
        }
    }
}

/// Returns an error if a repetition left other bytes than the first launch, or "". Ignores bytes
/// that still have the fill pattern; FindHoles reports them.
std::string Compare(const Variation& variation, std::vector<Place>* places) {
    for (Place& place : *places) {
        if (place.workspace) {
            continue;
        }
        place.kept.resize(place.before.size(), true);
        for (size_t i = 0; i < place.after.size(); ++i) {
            const uint8_t now = place.begin[i];
            const bool poison = place.Poisoned() && now == ByteOf(variation.poison, i);
            if (now != place.after[i] && !(poison && place.kept[i])) {
                return "T612 result differs: byte " + std::to_string(i) + " of " + place.name +
                       " is " + Hex(place.after[i]) + " in the test's own launch, " + Hex(now) +
                       " with " + variation.what +
                       "\n  try: look for memory that is read before it is written, and for blocks "
                       "that touch the same bytes without a synchronisation";
            }
            place.kept[i] = place.kept[i] && poison;
        }
    }
    return "";
}

/// Returns an error for the first output with bytes that no repetition wrote, or "".
std::string FindHoles(const std::vector<Place>& places) {
    for (const Place& place : places) {
        if (place.workspace || !place.Poisoned()) {
            continue;
        }
        const auto holes = std::count(place.kept.begin(), place.kept.end(), true);
        const auto first = std::find(place.kept.begin(), place.kept.end(), true);
        if (holes != 0) {
            return "T611 output not fully written: " + std::to_string(holes) + " of " +
                   std::to_string(place.kept.size()) + " B of " + place.name +
                   " are never written, the first is byte " +
                   std::to_string(first - place.kept.begin()) +
                   "\n  try: let the blocks cover the whole output, or allocate what they cover";
        }
    }
    return "";
}

LaunchResult Finding(std::string message) {
    return LaunchResult{kLaunchInvalid, std::move(message)};
}

LaunchResult Repeat(const LaunchSpec& first, std::vector<Place>* places) {
    for (const Variation& variation : kVariations) {
        LaunchSpec spec = first;
        spec.settings = first.settings.Unrecorded();
        spec.localPoison = variation.local;
        spec.settings.coreOrder =
            variation.coreOrder != 0 ? variation.coreOrder : spec.settings.coreOrder;
        spec.settings.threads = variation.threads != 0 ? variation.threads : spec.settings.threads;
        spec.settings.hazards = std::max(spec.settings.hazards, variation.hazards);
        Prepare(variation, places);
        LaunchResult result = Launch(spec);
        if (result.status != kLaunchOk) {
            result.message += std::string("\n  with ") + variation.what;
            return result;
        }
        std::string problem = Compare(variation, places);
        if (!problem.empty()) {
            return Finding(std::move(problem));
        }
    }
    std::string problem = FindHoles(*places);
    return problem.empty() ? LaunchResult{} : Finding(std::move(problem));
}

}  // namespace

/// Records one core's accesses to GM, by the line of 512 bytes in which an access begins.
class GmRoles::Recording : public CoreRecorder {
public:
    void OnInstruction(const Instruction& instruction) override {
        for (const ByteRange& range : instruction.ranges) {
            if (range.memory == Memory::Gm && range.runs.TotalBytes() != 0) {
                GmRole& role = lines[range.begin >> kLineShift];
                role.written |= range.write;
                role.read |= !range.write || instruction.atomic != AtomicOp::None;
            }
        }
    }
    std::unordered_map<uint64_t, GmRole> lines;
};

GmRoles::GmRoles(std::map<uintptr_t, GmRole>* roles) : roles_(roles) {}

GmRoles::~GmRoles() = default;

CoreRecorder* GmRoles::Recorder(uint32_t, uint32_t, CoreKind) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return cores_.emplace_back(std::make_unique<Recording>()).get();
}

void GmRoles::OnEnd(const LaunchInfo& info) {
    for (const auto& core : cores_) {
        for (const auto& [line, role] : core->lines) {
            const uint64_t begin = line << kLineShift;
            for (const GmRange& range : info.gm) {
                if (range.device < begin + (1U << kLineShift) &&
                    begin < range.device + range.bytes) {
                    GmRole& all = (*roles_)[range.begin];
                    all.read |= role.read;
                    all.written |= role.written;
                }
            }
        }
    }
}

LaunchResult LaunchWithRepetitions(const LaunchSpec& spec) {
    // No other launch may run meanwhile. Otherwise its writes would be reported for this launch.
    static std::mutex oneAtATime;
    const std::lock_guard<std::mutex> lock(oneAtATime);
    std::vector<Place> places = Places(spec);
    std::map<uintptr_t, GmRole> roles;
    LaunchSpec first = spec;
    first.observer = [&roles] { return std::make_unique<GmRoles>(&roles); };
    LaunchResult result = Launch(first);
    if (result.status != kLaunchOk) {
        return result;
    }
    // Ignores memory that this launch does not use: other threads of the test may change it.
    places.erase(std::remove_if(places.begin(), places.end(),
                                [&roles](const Place& place) {
                                    const auto begin = reinterpret_cast<uintptr_t>(place.begin);
                                    return !place.argument && roles.count(begin) == 0;
                                }),
                 places.end());
    for (Place& place : places) {
        place.role = roles[reinterpret_cast<uintptr_t>(place.begin)];
        place.after.assign(place.begin, place.begin + place.before.size());
    }
    const std::string changed = FindChangedInput(places);
    result = changed.empty() ? Repeat(spec, &places) : Finding(changed);
    for (const Place& place : places) {
        Put(place.after, place.begin);
    }
    return result;
}

}  // namespace twin::host
