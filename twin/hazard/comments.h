// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel_image.h"
#include "hazard/finding.h"

namespace twin::hazard {

/// What the sources of a kernel say about findings: "// hazard-ok: CODE reason" on the line of one
/// of the two accesses.
class Comments {
public:
    /// `kept`: what was kept when the kernel was compiled; other files are read where they are.
    explicit Comments(const std::vector<SourceComment>& kept);

    /// Whether a comment allows the finding; if none does, the finding notes what is wrong with
    /// one that is there.
    bool Allows(Finding* finding) const;

private:
    /// The line, if it has a comment of this kind or something like it.
    std::string At(const std::string& file, uint32_t line) const;
    bool AllowsAt(const Party& party, const std::string& code, std::string* note) const;

    std::map<std::pair<std::string, uint32_t>, std::string> kept_;
    std::vector<std::string> files_;  ///< that were searched
};

/// Whether the text of a line has "// hazard-ok: CODE reason"; `fault` says what keeps another
/// comment from counting, "names T999".
bool Allowed(const std::string& text, const std::string& code, std::string* fault);

}  // namespace twin::hazard
