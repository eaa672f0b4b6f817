// SPDX-License-Identifier: Apache-2.0
// "// hazard-ok: CODE reason" in the sources of a kernel.
#include <algorithm>
#include <cctype>
#include <fstream>

#include "hazard/finding.h"

namespace twin::hazard {
namespace {

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

/// What is wrong with the comment whose word stands at `at`; empty: it allows the finding.
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

bool EndsWith(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

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
        // The sources of an operator have names that begin at its folder.
        if ((file == known || EndsWith(file, "/" + known)) && known.size() > best.size()) {
            best = known;
        }
    }
    if (!best.empty()) {
        const auto found = kept_.find({best, line});
        return found == kept_.end() ? "" : found->second;
    }
    // A kernel that was compiled from text has a name and no file.
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
        *note = "the hazard-ok on line " + std::to_string(line) + " " + fault;
    }
    return false;
}

bool Comments::Allows(Finding* finding) const {
    finding->note.clear();
    return AllowsAt(finding->second, finding->code, &finding->note) ||
           (finding->first.exists && AllowsAt(finding->first, finding->code, &finding->note));
}

}  // namespace twin::hazard
