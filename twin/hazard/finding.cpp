// SPDX-License-Identifier: Apache-2.0
#include "hazard/finding.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include "core/core.h"

namespace twin::hazard {
namespace {

bool EndsWith(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// A source line that a hint names: the missing call belongs before or after this line.
struct Place {
    std::string file;
    uint32_t line;

    bool operator==(const Place& other) const { return file == other.file && line == other.line; }
};

Place CallOf(const Party& party) {
    return party.callers.size() == 1 ? Place{party.callers[0].file, party.callers[0].line}
                                     : Place{party.file, party.line};
}

Place PlaceOf(const Party& party, const Party& other) {
    const Place call = CallOf(party);
    return other.exists && call == CallOf(other) ? Place{party.file, party.line} : call;
}

/// Returns " of the next round" if the second access is in a later loop iteration: the second line
/// ran before the first access (`later`). In one file, the second line must not be below the first.
const char* Round(const Party& first, const Party& second, bool later) {
    const Place from = PlaceOf(first, second);
    const Place to = PlaceOf(second, first);
    return later && (from.file != to.file || to.line <= from.line) ? " of the next round" : "";
}

bool HasEvent(Pipe source, Pipe destination, CoreKind kind, std::string* name) {
    for (uint32_t i = 0; i < kHardEvents; ++i) {
        const HardEventInfo& info = EventInfo(i);
        if (info.source == source && info.destination == destination &&
            (kind == CoreKind::Aic || info.onAiv)) {
            *name = info.name;
            return true;
        }
    }
    return false;
}

constexpr char kWord[] = "hazard-ok";
constexpr size_t kWordChars = sizeof(kWord) - 1;

std::string Lower(std::string text) {
    for (char& each : text) {
        each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    }
    return text;
}

bool IsCode(const std::string& word) {
    return word.size() == 4 && word[0] == 'T' &&
           std::all_of(word.begin() + 1, word.end(),
                       [](unsigned char each) { return std::isdigit(each) != 0; });
}

/// Returns what is wrong with the hazard-ok comment at index `at`; empty if it allows `code`.
std::string FaultOf(const std::string& text, size_t at, const std::string& code) {
    if (text.compare(at, kWordChars, kWord) != 0) {
        return "is written '" + text.substr(at, kWordChars) + "'";
    }
    const size_t opened = text.rfind("//", at);
    const size_t block = text.rfind("/*", at);
    if (opened == std::string::npos || (block != std::string::npos && block > opened)) {
        return "is no comment of the form `// hazard-ok: " + code + " reason`";
    }
    const size_t colon = at + kWordChars;
    if (colon >= text.size() || text[colon] != ':') {
        return "has no colon behind it";
    }
    const size_t begin = std::min(text.find_first_not_of(" \t", colon + 1), text.size());
    const size_t end = std::min(text.find_first_of(" \t\r", begin), text.size());
    const std::string named = text.substr(begin, end - begin);
    if (named != code) {
        const bool likely = IsCode(named) || Lower(named) == Lower(code);
        return likely ? "names " + named + ", not " + code : "names no code";
    }
    return text.find_first_not_of(" \t\r", end) == std::string::npos ? "gives no reason" : "";
}

/// Returns what is missing between `first` and `second`. One of the two is an access that a cube
/// core made for the Matmul request of a vector core.
std::string MissingAtServer(const Party& first, const Party& second, const std::string& from,
                            const std::string& to) {
    const bool servedFirst = !first.askedBy.empty();
    if (servedFirst && first.askedBy == second.core) {
        return "WaitIterateAll() after " + from + " and before " + to;
    }
    std::string event;
    if (!servedFirst && second.askedBy == first.core &&
        HasEvent(first.pipe, Pipe::Mte3, CoreKind::Aiv, &event)) {
        // MTE3 sends the request.
        return "SetFlag<HardEvent::" + event + "> after " + from + ", WaitFlag before " + to;
    }
    return "SyncAll() on the vector cores after " + from + " and before " + to +
           (servedFirst ? ", and WaitIterateAll() before it if the first call is asynchronous"
                        : "");
}

/// Returns what is missing if both vector cores of a block made the same Matmul request.
std::string MissingOneRequest(const Finding& finding, const std::string& from,
                              const std::string& to) {
    const bool asksFirst = !finding.first.askedBy.empty();
    std::string text = "one request for both: if (GetSubBlockIdx() == 0) around ";
    text += asksFirst ? from : to;
    if (finding.first.askedBy.empty() || finding.second.askedBy.empty()) {
        text += ", SyncAll() on the vector cores between it and " + (asksFirst ? to : from);
    }
    text += "; the two requests have the same operands, ";
    return text + (std::string(finding.code) == "T814"
                       ? "so the cube core adds the product to C twice"
                       : "so the values of C are right, but the cube core computes them twice");
}

}  // namespace

bool IsHeader(const std::string& file) {
    static const std::array<const char*, 5> kSources = {".cpp", ".cc", ".cxx", ".asc", ".cce"};
    return std::none_of(kSources.begin(), kSources.end(),
                        [&file](const char* end) { return EndsWith(file, end); });
}

std::string CoreId::Text() const {
    return std::to_string(block) + " " + Name(kind) +
           (subBlock == 0 ? "" : std::to_string(subBlock));
}

CoreId IdOf(BlockShape shape, uint32_t index) {
    return {shape.BlockOf(index), shape.SubBlockOf(index), shape.KindOf(index), index};
}

Party PartyOf(const CoreId& core, const Location& where, const char* name, Pipe pipe,
              Action action) {
    Party party;
    party.exists = true;
    party.coreIdx = core.index;
    party.kind = core.kind;
    party.core = core.Text();
    party.pipe = pipe;
    party.name = name;
    party.file = where.file;
    party.function = where.function;
    party.line = where.line;
    party.action = action;
    return party;
}

Party PartyOf(const CoreId& core, const Location& where, Opcode opcode, Pipe pipe, Action action) {
    Party party = PartyOf(core, where, Name(opcode), pipe, action);
    party.opcode = opcode;
    return party;
}

void Finding::NameGm(const std::vector<GmRange>& gm) {
    const uint64_t address = begin;
    for (const GmRange& range : gm) {
        if (range.ContainsDevice(address)) {
            place = range.label;
            begin = address - range.device;
        }
    }
}

bool Findings::Note(const char* code, const void* firstFile, uint32_t firstLine,
                    const void* secondFile, uint32_t secondLine, uint64_t sequence,
                    const void* extra) {
    latest_ = standing_ = SIZE_MAX;
    const auto found = seen_.find(Key{code, firstFile, firstLine, secondFile, secondLine, extra});
    if (found == seen_.end()) {
        if (all_.size() >= kMost) {
            incomplete_ = true;
            return false;
        }
        seen_[Key{code, firstFile, firstLine, secondFile, secondLine, extra}] = {all_.size(),
                                                                                 sequence};
        latest_ = standing_ = all_.size();
        return true;
    }
    standing_ = found->second.index;
    // An instruction that conflicts in several ranges of memory is counted only once.
    if (found->second.sequence != sequence) {
        found->second.sequence = sequence;
        latest_ = found->second.index;
        ++all_[latest_].count;
    }
    return false;
}

void Findings::DropTakenBack() {
    all_.erase(std::remove_if(all_.begin(), all_.end(),
                              [](const Finding& finding) { return finding.count == 0; }),
               all_.end());
}

void Findings::Add(Finding finding) { all_.push_back(std::move(finding)); }

std::string MissingEdge(const Party& first, const Party& second, bool later) {
    std::string from = LineOf(first, second);
    std::string to = LineOf(second, first);
    const bool sameLine = from == to;
    const bool barrier = first.pipe == second.pipe && first.pipe != Pipe::S;
    if (sameLine && barrier && first.name == second.name) {
        return std::string("PipeBarrier<PIPE_") + Name(first.pipe) + "> after " + from +
               ", before this line runs again (in the next round of a loop, or in the next call)";
    }
    if (sameLine && first.name != second.name) {
        from = first.name + " in " + from;
        to = second.name + " in " + to;
    }
    to += Round(first, second, later);
    if (barrier) {
        return std::string("PipeBarrier<PIPE_") + Name(first.pipe) + "> between " + from + " and " +
               to;
    }
    std::string event;
    if (!HasEvent(first.pipe, second.pipe, second.kind, &event)) {
        return "PipeBarrier<PIPE_ALL> between " + from + " and " + to;
    }
    return "SetFlag<HardEvent::" + event + "> after " + from + ", WaitFlag before " + to;
}

std::string LineOf(const Party& party, const Party& other) {
    const Place place = PlaceOf(party, other);
    std::string text = "line " + std::to_string(place.line);
    if (IsHeader(place.file) || (other.exists && place.file != PlaceOf(other, party).file)) {
        text += " of " + place.file.substr(place.file.rfind('/') + 1);
    }
    return text;
}

std::string MissingMeeting(const Finding& finding, bool later) {
    const Party& first = finding.first;
    const Party& second = finding.second;
    const std::string from = LineOf(first, second);
    const std::string to = LineOf(second, first) + (later ? " of a later round" : "");
    if (finding.sameRequest) {
        return MissingOneRequest(finding, from, to);
    }
    if (first.file == second.file && first.line == second.line) {
        return first.coreIdx == second.coreIdx
                   ? "other bytes of GM for each vector core that asks in " + from +
                         ", or SyncAll() on the vector cores between the two requests"
                   : "other bytes of GM for each core in " + from +
                         ", or an order between the cores";
    }
    if (first.coreIdx == second.coreIdx) {
        return "SyncAll() on the vector cores that make the requests, after " + from +
               " and before " + to;
    }
    if (!first.askedBy.empty() || !second.askedBy.empty()) {
        return MissingAtServer(first, second, from, to);
    }
    const bool sameBlock =
        first.core.substr(0, first.core.find(' ')) == second.core.substr(0, second.core.find(' '));
    if (first.kind != second.kind && sameBlock) {
        return std::string("CrossCoreSetFlag<2, PIPE_") + Name(first.pipe) + "> after " + from +
               " on " + (first.kind == CoreKind::Aic ? "AIC" : "AIV") +
               ", CrossCoreWaitFlag before " + to + " on " +
               (second.kind == CoreKind::Aic ? "AIC" : "AIV");
    }
    const bool vector = first.kind == CoreKind::Aiv && second.kind == CoreKind::Aiv;
    return std::string(vector ? "SyncAll()" : "SyncAll<false>()") + " on all cores after " + from +
           " and before " + to;
}

bool Allowed(const std::string& text, const std::string& code, std::string* fault) {
    const std::string lower = Lower(text);
    for (size_t at = lower.find(kWord); at != std::string::npos; at = lower.find(kWord, at + 1)) {
        const std::string wrong = FaultOf(text, at, code);
        if (wrong.empty()) {
            return true;
        }
        *fault = fault->empty() ? wrong : *fault;
    }
    return false;
}

Comments::Comments(const std::vector<SourceComment>& kept) {
    for (const SourceComment& comment : kept) {
        if (comment.line == 0) {
            files_.push_back(comment.file);
        } else {
            kept_[{comment.file, comment.line}] = comment.text;
        }
    }
}

std::string Comments::At(const std::string& file, uint32_t line) const {
    std::string best;
    for (const std::string& known : files_) {
        // Stored paths of an operator's sources start at the operator's folder: compare path ends.
        if ((file == known || EndsWith(file, "/" + known)) && known.size() > best.size()) {
            best = known;
        }
    }
    if (!best.empty()) {
        const auto found = kept_.find({best, line});
        return found == kept_.end() ? "" : found->second;
    }
    // The source of a kernel compiled from a string has a name, but is not a file on disk.
    if (!files_.empty() && file.rfind('/', 0) != 0) {
        return "";
    }
    std::ifstream source(file);
    std::string text;
    for (uint32_t i = 0; i < line && std::getline(source, text); ++i) {
    }
    return source ? text : "";
}

bool Comments::AllowsAt(const Party& party, const std::string& code, std::string* note) const {
    std::string fault;
    if (Allowed(At(party.file, party.line), code, &fault)) {
        return true;
    }
    uint32_t line = party.line;
    if (fault.empty() && line > 1) {
        const std::string above = At(party.file, line - 1);
        const size_t begin = above.find_first_not_of(" \t");
        std::string ignored;
        if (begin != std::string::npos && above.compare(begin, 2, "//") == 0 &&
            (Allowed(above, code, &ignored) || !ignored.empty())) {
            fault = "stands above line " + std::to_string(line--) + ", not on it";
        }
    }
    if (!fault.empty() && note->empty()) {
        const std::string name = party.file.substr(party.file.rfind('/') + 1);
        *note = "the hazard-ok on line " + std::to_string(line) +
                (IsHeader(party.file) ? " of " + name : "") + " " + fault;
    }
    return false;
}

bool Comments::Allows(Finding* finding) const {
    finding->note.clear();
    return AllowsAt(finding->second, finding->code, &finding->note) ||
           (finding->first.exists && AllowsAt(finding->first, finding->code, &finding->note));
}

}  // namespace twin::hazard
