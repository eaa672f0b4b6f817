// SPDX-License-Identifier: Apache-2.0
#include "hazard/race_findings.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace twin::hazard {
namespace {

bool IsOneOf(const char* code, std::initializer_list<const char*> codes) {
    return std::any_of(codes.begin(), codes.end(),
                       [code](const char* each) { return std::strcmp(code, each) == 0; });
}

/// Returns the fix of a race that no order between the accesses can fix; otherwise an empty text.
std::string RemedyOfRace(const Finding& finding) {
    const std::string code = finding.code;
    if (code == "T311") {
        return "DataCacheCleanAndInvalid after " + LineOf(finding.first, finding.second) +
               ", before the flag or barrier after which others read";
    }
    if (code == "T312") {
        return "DataCacheCleanAndInvalid before " + LineOf(finding.second, finding.first);
    }
    return code == "T313" ? "64 B of its own for what each core writes with SetValue" : "";
}

bool SameInstructions(const std::pair<CoreAccess, CoreAccess>& pair, const Race& race) {
    const auto same = [](const CoreAccess& one, const CoreAccess& other) {
        return one.core == other.core && one.access.SameInstruction(other.access);
    };
    return same(pair.first, race.first) && same(pair.second, race.second);
}

/// Returns the name of the vector core for which a cube core works as Matmul server.
std::string ClientOf(const CoreId& server, uint32_t client) {
    return CoreId{server.block, client - 1, CoreKind::Aiv, 0}.Text();
}

/// Returns true if a core makes call `one` before call `other`. `calls` are all calls of the core.
/// Returns nothing if the core does not make both calls, or if `one` and `other` are the same call.
std::optional<bool> MakesFirst(const std::vector<Site>& calls, const Site& one, const Site& other) {
    const auto find = [&calls](const Site& call) {
        return std::find_if(calls.begin(), calls.end(), [&call](const Site& each) {
            // A request has the same line as the accesses that the cube core makes for it.
            const bool same = each.opcode == call.opcode || each.opcode == Opcode::MatmulRequest;
            return same && each.where.line == call.where.line &&
                   std::strcmp(each.where.file, call.where.file) == 0;
        });
    };
    const auto first = find(one);
    const auto second = find(other);
    if (first == calls.end() || second == calls.end() || first == second) {
        return std::nullopt;
    }
    return first->first < second->first;
}

}  // namespace

void RaceFindings::AddSites(uint32_t core, const std::vector<Site>& sites) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Site>& known = sites_[core];
    known.insert(known.end(), sites.begin() + static_cast<ptrdiff_t>(known.size()), sites.end());
}

Site RaceFindings::SiteOf(uint32_t core, const Access& access) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return sites_[core][access.site];
}

void RaceFindings::Add(const Race& race, const LogicalCore& from, const LogicalCore& to) {
    const Site first = SiteOf(from.core, race.first.access);
    const Site second = SiteOf(to.core, race.second.access);
    const uint64_t instruction = uint64_t{race.second.core} << 32 | race.second.access.index;
    found_.Note(race.code, first.where.file, first.where.line, second.where.file, second.where.line,
                instruction);
    const size_t number = found_.Standing();
    if (number == SIZE_MAX) {
        return;
    }
    const Place place = {to.core,   to.client,   race.second.access.sequence,
                         from.core, from.client, race.first.access.sequence,
                         race.begin};
    if (number == described_.size()) {
        described_.push_back({race, from, to, place, {}, 0});
        found_.Add(Describe(race, from, to));
    }
    Described& known = described_[number];
    if (place < known.place) {
        known.race = race;
        known.from = from;
        known.to = to;
        known.place = place;
        Finding lower = Describe(race, from, to);
        lower.count = found_.All()[number].count;
        found_.All()[number] = std::move(lower);
    }
    const bool served = (from.client != 0 || to.client != 0) &&
                        shape_.BlockOf(from.core) == shape_.BlockOf(to.core);
    if (!served || known.served.size() == kMostServed) {
        ++known.others;
    } else if (known.served.empty() || !SameInstructions(known.served.back(), race)) {
        known.served.emplace_back(race.first, race.second);
    }
}

Finding RaceFindings::Describe(const Race& race, const LogicalCore& from, const LogicalCore& to) {
    const auto party = [this](const LogicalCore& core, const CoreAccess& access) {
        const Site site = SiteOf(core.core, access.access);
        const CoreId id = IdOf(shape_, core.core);
        Party party = PartyOf(id, site.where, site.opcode, PipeOf(site.lane),
                              access.write ? Action::Writes : Action::Reads);
        if (core.client != 0) {
            party.askedBy = ClientOf(id, core.client);
            party.core += " for " + party.askedBy;
        }
        return party;
    };
    Finding finding;
    finding.code = race.code;
    finding.kind = race.kind;
    finding.memory = "GM";
    finding.begin = race.begin;
    finding.bytes = race.bytes;
    // Each Matmul client of a cube core has its own sequence numbers.
    finding.sequence = uint64_t{to.client} << 32 | race.second.access.sequence;
    finding.NameGm(gm_);
    finding.first = party(from, race.first);
    finding.second = party(to, race.second);
    return finding;
}

/// Returns true if one of the two cores makes the call of the second access before the call of the
/// first access. Returns nothing if neither core makes both calls.
std::optional<bool> RaceFindings::TextTurns(const Described& race) const {
    const Site& first = sites_[race.from.core][race.race.first.access.site];
    const Site& second = sites_[race.to.core][race.race.second.access.site];
    for (const LogicalCore& core : {race.from, race.to}) {
        // The order in which a cube core works for several clients depends on the thread schedule.
        const std::optional<bool> inOrder =
            core.client == 0 ? MakesFirst(sites_[core.core], first, second) : std::nullopt;
        if (inOrder.has_value()) {
            return !*inOrder;
        }
    }
    return std::nullopt;
}

/// Returns true if synchronisation orders the read after another call of `core`, the core that
/// writes. Then the read needs the bytes of the other call, and `write` overwrites these bytes.
bool RaceFindings::Overwrites(const OrderedSites& ordered, const CoreAccess& write,
                              const CoreAccess& read, uint32_t core) const {
    CoreAccess other = write;
    for (uint32_t site = 0; site < sites_[core].size(); ++site) {
        other.access.site = site;
        if (site != write.access.site && ordered.Has(other, read)) {
            return true;
        }
    }
    return false;
}

/// Returns true if the kernel needs the second access before the first one.
bool RaceFindings::Turns(const OrderedSites& ordered, const Described& described) const {
    const Race& race = described.race;
    if (race.firstTold != race.secondTold) {
        return race.secondTold;  // the signal shows the order, but does not cover the right pipe
    }
    const bool inOrder = ordered.Has(race.first, race.second);
    const bool reversed = ordered.Has(race.second, race.first);
    if (inOrder != reversed) {
        return inOrder;  // flags make this order in each round, so the reverse order is missing
    }
    const std::optional<bool> textTurns = TextTurns(described);
    if (inOrder && race.first.round != race.second.round) {
        // Both orders exist between other rounds, but not between these two rounds. The kernel
        // needs the access of the earlier round first.
        return race.second.round < race.first.round;
    }
    if (textTurns.has_value()) {
        return *textTurns;
    }
    // No core makes both calls. The kernel needs the write first, unless the write overwrites bytes
    // that the reader still needs.
    return race.first.write ? !race.second.write &&
                                  Overwrites(ordered, race.first, race.second, described.from.core)
                            : !Overwrites(ordered, race.second, race.first, described.to.core);
}

/// Puts the access first that the kernel needs first, and names the missing synchronisation.
void RaceFindings::Direct(const OrderedSites& ordered, Described* race, Finding* finding) const {
    const bool turned = Turns(ordered, *race);
    const bool inText = TextTurns(*race).value_or(turned) == turned;
    if (turned) {
        std::swap(race->race.first, race->race.second);
        std::swap(race->from, race->to);
        std::swap(finding->first, finding->second);
        finding->sequence = uint64_t{race->to.client} << 32 | race->race.second.access.sequence;
    }
    const bool later = !inText || ordered.Has(race->race.second, race->race.first);
    if (finding->first.action != finding->second.action) {
        const bool writeFirst = finding->first.action == Action::Writes;
        finding->code = writeFirst ? "T811" : "T812";
        finding->kind = writeFirst ? "RAW inter-core" : "WAR inter-core";
    }
    finding->missing = MissingMeeting(*finding, later);
}

void RaceFindings::Direct(const OrderedSites& ordered, const SameRequest& same) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t number = 0; number < described_.size(); ++number) {
        Described& race = described_[number];
        Finding& finding = found_.All()[number];
        const auto equal = [&same](const auto& pair) { return same(pair.first, pair.second); };
        if (std::strcmp(finding.code, "T814") == 0) {
            finding.sameRequest = std::any_of(race.served.begin(), race.served.end(), equal);
            finding.missing = MissingMeeting(finding, false);
            continue;
        }
        if (!IsOneOf(finding.code, {"T811", "T812", "T813"})) {
            finding.missing = RemedyOfRace(finding);
            if (finding.missing.empty()) {
                finding.missing = MissingMeeting(finding, false);
            }
            continue;
        }
        finding.sameRequest =
            race.others == 0 && std::all_of(race.served.begin(), race.served.end(), equal);
        Direct(ordered, &race, &finding);
    }
}

void RaceFindings::NameCallers(const CallersOf& callersOf) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t number = 0; number < described_.size(); ++number) {
        const Described& race = described_[number];
        Finding& finding = found_.All()[number];
        finding.first.callers = callersOf(race.from.core, race.race.first.access.site);
        finding.second.callers = callersOf(race.to.core, race.race.second.access.site);
    }
}

}  // namespace twin::hazard
