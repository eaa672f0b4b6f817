// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_JSON_TEXT_H
#define TWIN_HOST_JSON_TEXT_H

#include <string>

namespace twin::host {

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

#endif  // TWIN_HOST_JSON_TEXT_H
