// SPDX-License-Identifier: Apache-2.0
#include "hazard/core_findings.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/launch_state.h"

namespace twin::hazard {
namespace {

const char* KindOfConflict(bool writeBefore, bool write, bool intraPipe) {
    if (writeBefore && write) {
        return intraPipe ? "WAW intra-pipe" : "WAW inter-pipe";
    }
    if (writeBefore) {
        return intraPipe ? "RAW intra-pipe" : "RAW inter-pipe";
    }
    return intraPipe ? "WAR intra-pipe" : "WAR inter-pipe";
}

const char* CodeOfConflict(bool writeBefore, bool write) {
    return writeBefore ? (write ? "T803" : "T801") : "T802";
}

/// Returns a suggested fix if no flag or barrier can fix the finding; otherwise an empty text.
std::string RemedyOf(const Finding& finding) {
    const std::string code = finding.code;
    const std::string from = LineOf(finding.first, finding.second);
    const std::string line = LineOf(finding.second, finding.first);
    if (code == "T820" && finding.memory == "GM") {
        return "a write of these bytes, such as InitGlobalMemory, before " + line +
               ", or fewer elements there";
    }
    if (code == "T820") {
        return "a write of these bytes before " + line + ", or fewer elements there";
    }
    if (code == "T822") {
        const std::string valid = "only the valid elements in " + line;
        return finding.padding.empty() ? valid : finding.padding + " in " + from + ", or " + valid;
    }
    if (code == "T821") {
        return "FreeTensor after " + line + ", the last use of the tensor";
    }
    if (code == "T415") {
        return "buffers below 184 KiB, or " + line + " before " + from;
    }
    if (code == "T311" || code == "T313") {
        return "DataCacheCleanAndInvalid between " + from + " and " + line;
    }
    return code == "T312" ? "DataCacheCleanAndInvalid before " + line : "";
}

const Location& NoLocation() {
    static const Location nowhere;
    return nowhere;
}

}  // namespace

void CoreFindings::AddConflict(const Access& first, bool firstWrites, const CurrentAccess& second,
                               uint64_t begin, uint64_t end) {
    const bool write = second.range.write;
    const uint64_t conflict = uint64_t{first.lane} << 32 | first.index;
    if (std::find(conflicts_.begin(), conflicts_.end(), conflict) != conflicts_.end()) {
        return;
    }
    conflicts_.push_back(conflict);
    const bool intraPipe = sites_[first.site].lane == sites_[second.access.site].lane;
    Add(CodeOfConflict(firstWrites, write), KindOfConflict(firstWrites, write, intraPipe), &first,
        firstWrites, second.access, {second.range, begin, end, write});
    if (acquired_ && findings_.Latest() != SIZE_MAX) {
        const size_t finding = findings_.Latest();
        tentative_.push_back({finding, 0, first.lane, first.index});
        tentativeCounts_.resize(std::max(tentativeCounts_.size(), finding + 1));
        ++tentativeCounts_[finding];
    }
}

void CoreFindings::Add(const char* code, const char* kind, const Access* first, bool firstWrites,
                       const Access& second, const AccessedBytes& bytes) {
    const Location& from = first == nullptr ? NoLocation() : sites_[first->site].where;
    const Location& to = sites_[second.site].where;
    if (!findings_.Note(code, from.file, from.line, to.file, to.line, second.sequence)) {
        return;
    }
    Finding finding;
    finding.code = code;
    finding.kind = kind;
    finding.bytes = bytes.end - bytes.begin;
    finding.sequence = second.sequence;
    Describe(bytes.range, bytes.begin, &finding);
    finding.second = PartyOf(second, bytes.write);
    if (bytes.write && std::strcmp(code, "T820") == 0) {  // an atomic copy reads what it writes
        finding.second.action = Action::Updates;
    }
    if (first != nullptr) {
        finding.first = PartyOf(*first, firstWrites);
        finding.later = sites_[second.site].first < first->sequence;
    }
    finding.reason = ReasonOf(first, bytes, finding);
    if (first != nullptr && std::strcmp(finding.code, "T822") == 0) {
        finding.padding = reasons_.TextOfPadding(*first);
    }
    finding.open = true;
    findings_.Add(std::move(finding));
}

void CoreFindings::Complete() {
    for (Finding& finding : findings_.All()) {
        for (Party* const party : {&finding.first, &finding.second}) {
            if (party->site != UINT32_MAX && !calls_.TellsCallers(party->site)) {
                party->callers.clear();
            }
        }
        if (std::exchange(finding.open, false)) {
            const std::string remedy = RemedyOf(finding);
            finding.missing = remedy + finding.reason;
            if (remedy.empty() && finding.first.exists) {
                finding.missing = MissingEdge(finding.first, finding.second, finding.later);
            }
        }
    }
}

/// Returns "; " and the reason why bytes of UB are no valid data; empty if no reason is known.
std::string CoreFindings::ReasonOf(const Access* first, const AccessedBytes& bytes,
                                   const Finding& finding) const {
    const std::string code = finding.code;
    if (bytes.range.memory != Memory::Ub || (code != "T820" && code != "T822")) {
        return "";
    }
    const uint64_t after = first == nullptr ? 0 : first->sequence + uint64_t{1};
    const std::string mask =
        reasons_.TextOfMask(bytes.begin, bytes.end, after, finding.second.file);
    const std::string rows = first == nullptr ? "" : reasons_.TextOfRows(*first);
    return (mask.empty() ? "" : "; " + mask) + (rows.empty() ? "" : "; " + rows);
}

void CoreFindings::AddFreed(const Location& freed, const CurrentAccess& use) {
    const Location& where = sites_[use.access.site].where;
    if (!findings_.Note("T821", freed.file, freed.line, where.file, where.line,
                        use.access.sequence)) {
        return;
    }
    Finding finding;
    finding.code = "T821";
    finding.kind = "buffer taken back";
    finding.bytes = use.range.runs.Span();
    finding.sequence = use.access.sequence;
    Describe(use.range, use.range.begin, &finding);
    finding.first = hazard::PartyOf(id_, freed, "FreeTensor", Pipe::S, Action::Frees);
    finding.second = PartyOf(use.access, use.range.write);
    finding.open = true;
    findings_.Add(std::move(finding));
}

void CoreFindings::AddFlag(const char* code, const char* kind, const Location* first,
                           const Party& second, const std::string& flag, const std::string& missing,
                           uint64_t sequence) {
    const Location& before = first == nullptr ? NoLocation() : *first;
    if (!findings_.Note(code, before.file, before.line, nullptr, second.line, sequence)) {
        return;
    }
    Finding finding;
    finding.code = code;
    finding.kind = kind;
    finding.memory = "flag";
    finding.place = flag;
    finding.sequence = sequence;
    finding.second = second;
    finding.second.callers = calls_.CallersNow();
    if (first != nullptr) {
        finding.first = hazard::PartyOf(id_, *first, Opcode::SetFlag, second.pipe, Action::Sets);
    }
    finding.missing = missing;
    findings_.Add(std::move(finding));
}

void CoreFindings::Drop(const std::vector<uint64_t>& counts) {
    for (size_t finding = 0; finding < counts.size(); ++finding) {
        findings_.TakeBack(finding, counts[finding]);
    }
    findings_.DropTakenBack();
}

Party CoreFindings::PartyOf(const Access& access, bool write) const {
    const Site& site = sites_[access.site];
    Party party = hazard::PartyOf(id_, site.where, site.opcode, PipeOf(site.lane),
                                  write ? Action::Writes : Action::Reads);
    party.callers = calls_.CallersOf(access);
    party.site = access.site;
    return party;
}

void CoreFindings::Describe(const ByteRange& range, uint64_t begin, Finding* finding) const {
    finding->begin = begin;
    if (range.runs.bytes == 0) {
        finding->memory = finding->place = Name(static_cast<Register>(range.begin));
        return;
    }
    finding->memory = Name(range.memory);
    if (range.memory == Memory::Gm) {
        finding->NameGm(core_->launch->gm);
        return;
    }
    const BufferRecord* buffer = core_->FindBuffer(range.memory, begin);
    if (buffer != nullptr) {
        finding->place = std::string(buffer->kind) + " #" + std::to_string(buffer->queue) + "[" +
                         std::to_string(buffer->slot) + "]";
    }
}

}  // namespace twin::hazard
