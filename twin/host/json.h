// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_JSON_H
#define TWIN_HOST_JSON_H

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

}  // namespace twin::host

#endif  // TWIN_HOST_JSON_H
