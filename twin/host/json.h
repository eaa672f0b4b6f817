// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_JSON_H
#define TWIN_HOST_JSON_H

#include <string>
#include <vector>

namespace twin::host {

/// A JSON value, as the files of operator packages hold it.
struct Json {
    enum class Kind { kNull, kBool, kNumber, kString, kList, kObject };

    Kind kind = Kind::kNull;
    std::string text;                ///< of a string; "true", "false" and numbers as they stand
    std::vector<std::string> names;  ///< of an object's members, in the order of the file
    std::vector<Json> items;         ///< of a list, or the members' values

    /// The member, or nullptr when this is no object or has none of that name.
    const Json* Find(const std::string& name) const;
};

/// false and a sentence, "line 3: expected ...", when `text` is no JSON document.
bool ParseJson(const std::string& text, Json* value, std::string* error);

}  // namespace twin::host

#endif  // TWIN_HOST_JSON_H
