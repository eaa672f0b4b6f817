// SPDX-License-Identifier: Apache-2.0
// Formats the findings of a launch as text and JSON.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>

#include "core/files.h"
#include "hazard/finding.h"

namespace twin::hazard {
namespace {

constexpr size_t kShown = 20;

struct Title {
    const char* code;
    const char* text;
};
constexpr Title kTitles[] = {
    {"T302", "flag set twice"},
    {"T303", "wait without set"},
    {"T306", "flag left set"},
    {"T311", "scalar write that was not written back"},
    {"T312", "stale scalar read"},
    {"T313", "lost update: two writers in one line of the data cache"},
    {"T314", "atomic copy and another access in no order"},
    {"T317", "too many sets of a flag between cores"},
    {"T415", "scratch at 184 KiB over live data"},
    {"T801", "read before the write has ended"},
    {"T802", "overwritten before the read has ended"},
    {"T803", "two writes in no order"},
    {"T811", "read and write of two cores in no order"},
    {"T812", "overwritten while another core may still read"},
    {"T813", "writes of two cores in no order"},
    {"T814", "product added twice"},
    {"T820", "read of memory that was never written"},
    {"T821", "buffer used after FreeTensor"},
    {"T822", "DataCopyPad's filler used as data"},
    {"T840", "event id shared by a queue and by hand"},
};

std::string TitleOf(const std::string& code) {
    for (const Title& title : kTitles) {
        if (code == title.code) {
            return title.text;
        }
    }
    return "hazard";
}

std::string Json(const Party& party) {
    if (!party.exists) {
        return "null";
    }
    std::string callers;
    for (const Location& caller : party.callers) {
        callers += std::string(callers.empty() ? "" : ", ") +
                   "{\"file\": " + JsonText(caller.file) +
                   ", \"line\": " + std::to_string(caller.line) + "}";
    }
    return "{\"core\": " + JsonText(party.core) + ", \"pipe\": \"" + Name(party.pipe) +
           "\", \"opcode\": " + JsonText(party.name) + ", \"file\": " + JsonText(party.file) +
           ", \"line\": " + std::to_string(party.line) + ", \"callers\": [" + callers + "]}";
}

std::string Json(const Finding& finding) {
    return "{\"code\": \"" + std::string(finding.code) + "\", \"kind\": " + JsonText(finding.kind) +
           ", \"memory\": " + JsonText(finding.memory) +
           ", \"begin\": " + std::to_string(finding.begin) +
           ", \"bytes\": " + std::to_string(finding.bytes) + ", \"first\": " + Json(finding.first) +
           ", \"second\": " + Json(finding.second) + ", \"missing\": " + JsonText(finding.missing) +
           ", \"place\": " + JsonText(finding.place) + ", \"note\": " + JsonText(finding.note) +
           ", \"count\": " + std::to_string(finding.count) + "}";
}

const char* Verb(Action action) {
    static constexpr const char* kVerbs[] = {"reads",
                                             "writes",
                                             "sets it",
                                             "waits",
                                             "takes it back",
                                             "stands",
                                             "updates these bytes in an atomic mode"};
    return kVerbs[static_cast<size_t>(action)];
}

/// Returns ", called at add.cpp:40" with the callers of the party; "" if it has no callers.
std::string CalledAt(const Party& party) {
    std::string text;
    for (const Location& caller : party.callers) {
        text += std::string(text.empty() ? ", called at " : " or ") + caller.file + ":" +
                std::to_string(caller.line);
    }
    return text;
}

std::string Line(const char* label, const Party& party) {
    return std::string("\n    ") + label + " " + Name(party.pipe) + " " + party.name + " " +
           Verb(party.action) + " at " + party.file + ":" + std::to_string(party.line) + " " +
           party.function + CalledAt(party) + "   core " + party.core;
}

std::string Where(const Finding& finding) {
    if (finding.bytes == 0) {
        return finding.place;
    }
    char text[96];
    std::snprintf(text, sizeof(text), "%" PRIu64 " B of %s+0x%" PRIx64, finding.bytes,
                  finding.memory.c_str(), finding.begin);
    if (finding.memory == "GM") {
        std::snprintf(text, sizeof(text), "%" PRIu64 " B at byte %" PRIu64 " of %s", finding.bytes,
                      finding.begin, finding.place.c_str());
        return text;
    }
    return text + (finding.place.empty() ? "" : " (" + finding.place + ")");
}

std::string Text(const Finding& finding) {
    const std::string code = finding.code;
    const std::string title = TitleOf(code);
    std::string text = code + " " + title;
    if (title.find(finding.kind) == std::string::npos) {
        text += std::string(" (") + finding.kind + ")";
    }
    text += ": " + Where(finding);
    if (finding.count > 1) {
        text += ", " + std::to_string(finding.count) + " times";
    }
    if (finding.first.exists) {
        text += Line("first: ", finding.first);
    }
    text += Line(finding.first.exists ? "second:" : "at:    ", finding.second);
    text += finding.missing.empty() ? "" : "\n    missing: " + finding.missing;
    return text + (finding.note.empty() ? "" : "\n    note:    " + finding.note);
}

/// Returns a sort key. Two kinds of findings between cores come last, because another finding may
/// explain them: first T317 (too many sets of a flag), then T306 (a flag is left set).
uint32_t RankOf(const Finding& finding) {
    const std::string code = finding.code;
    const bool left = code == "T306" && finding.place.compare(0, 13, "between cores") == 0;
    return code == "T317" ? 1 : (left ? 2 : 0);
}

bool Precedes(const Finding& a, const Finding& b) {
    return std::make_tuple(RankOf(a), a.second.coreIdx, a.sequence, a.first.coreIdx) <
           std::make_tuple(RankOf(b), b.second.coreIdx, b.sequence, b.first.coreIdx);
}

using Side = std::tuple<std::string, uint32_t, Opcode>;
using SidePair = std::tuple<std::string, std::string, Side, Side>;

Side SideOf(const Party& party) { return {party.file, party.line, party.opcode}; }

/// Returns the key by which equal findings are joined. For a race between cores, the order of the
/// two accesses does not change the key.
SidePair SidesOf(const Finding& finding) {
    const std::string code = finding.code;
    const Side first = SideOf(finding.first);
    const Side second = SideOf(finding.second);
    if (code == "T811" || code == "T812") {
        return finding.first.action == Action::Writes ? SidePair{"T811", "", first, second}
                                                      : SidePair{"T811", "", second, first};
    }
    if ((code == "T813" || code == "T814") && second < first) {
        return {code, finding.kind, second, first};
    }
    return {code, finding.kind, first, second};
}

/// Sorts the findings. Joins findings for which SidesOf() is equal, and adds their counts.
std::vector<Finding> ByPair(std::vector<Finding> findings) {
    std::stable_sort(findings.begin(), findings.end(), Precedes);
    std::map<SidePair, size_t> seen;
    std::vector<Finding> joined;
    for (Finding& finding : findings) {
        const auto entry = seen.emplace(SidesOf(finding), joined.size());
        if (entry.second) {
            joined.push_back(std::move(finding));
        } else {
            joined[entry.first->second].count += finding.count;
        }
    }
    return joined;
}

}  // namespace

Report MakeReport(std::vector<Finding> findings, const Comments& comments, bool incomplete,
                  const std::string& level, const std::string& failure) {
    findings.erase(std::remove_if(findings.begin(), findings.end(),
                                  [&](Finding& finding) { return comments.Allows(&finding); }),
                   findings.end());
    Report report;
    if (findings.empty()) {
        return report;
    }
    const std::vector<Finding> joined = ByPair(std::move(findings));
    const Finding& first = joined.front();
    const bool said = !failure.empty() && failure.compare(0, 4, first.code) == 0;
    report.coreIdx = first.second.coreIdx;
    report.kind = first.second.kind;
    report.json = "{\"level\": \"" + level +
                  "\", \"incomplete\": " + (incomplete ? "true" : "false") + ", \"findings\": [";
    for (size_t i = 0; i < joined.size(); ++i) {
        report.json += (i == 0 ? "" : ", ") + Json(joined[i]);
        if (i < kShown) {
            report.message += (i == 0 ? "" : "\n  ") + (i == 0 && said ? failure : Text(joined[i]));
        }
    }
    report.json += "]}";
    if (joined.size() > kShown) {
        report.message += "\n  and " + std::to_string(joined.size() - kShown) + " more";
    }
    if (incomplete) {
        report.message += "\n  incomplete: a limit was hit, there may be more";
    }
    if (said) {
        return report;
    }
    report.message += "\n  at " + first.second.file + ":" + std::to_string(first.second.line) +
                      " " + first.second.function + "   core " + std::to_string(report.coreIdx) +
                      " " + Name(report.kind) + "\n  level " + level + "; `cannery explain " +
                      first.code + "`";
    return report;
}

}  // namespace twin::hazard
