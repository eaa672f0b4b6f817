// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace twin::host {

/// A JSON value, for the files of operator packages.
struct Json {
    enum class Kind { kNull, kBool, kNumber, kString, kList, kObject };

    Kind kind = Kind::kNull;
    std::string text;                ///< text of a string; "true", "false" and numbers as written
    std::vector<std::string> names;  ///< names of an object's members, in the order of the file
    std::vector<Json> items;         ///< items of a list, or the members' values

    /// Returns the member, or nullptr if this is no object or has no member of that name.
    const Json* Find(const std::string& name) const;
};

/// Returns false and a sentence, "line 3: expected ...", if `text` is no JSON document.
bool ParseJson(const std::string& text, Json* value, std::string* error);

/// Writes a JSON string.
std::string Quoted(const std::string& text);

/// JSON cannot express infinity and NaN: they become null, which readers refuse.
std::string Number(float value);

/// Writes a JSON list of the texts that `text` makes from the items.
template <typename List, typename Text>
std::string ListOf(const List& list, const Text& text) {
    std::string result;
    for (const auto& item : list) {
        result += (result.empty() ? "" : ", ") + text(item);
    }
    return "[" + result + "]";
}

}  // namespace twin::host
