// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_JSON_TEXT_H
#define TWIN_HOST_JSON_TEXT_H

#include <string>

namespace twin::host {

/// A JSON string.
std::string Quoted(const std::string& text);

/// JSON has no word for what is no number: null; readers refuse it.
std::string Number(float value);

/// A JSON list of what `text` makes of each item.
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
