// SPDX-License-Identifier: Apache-2.0
#include "core/setting_names.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace twin {
namespace {

constexpr std::string_view kPrefix = "CANNERY_";
/// The settings, without the prefix. The first kSettingsOfUsers names are in the README's table.
constexpr std::string_view kSettingNames[] = {
    "BACKEND",   "SOC",       "THREADS", "CORE_ORDER", "MODE",        "HAZARDS",
    "TIMEOUT_S", "CACHE_DIR", "API",     "DUMP",       "DUMP_VALUES", "STATS",
    "UB_MAP",    "COVERAGE",  "MEMORY",  "ORACLE",     "ISA",
};
constexpr size_t kSettingsOfUsers = 9;

/// Returns the number of letters to insert, remove or replace until `given` is `known`.
size_t EditDistance(std::string_view given, std::string_view known) {
    std::vector<size_t> row(known.size() + 1);
    for (size_t i = 0; i < row.size(); ++i) {
        row[i] = i;
    }
    for (size_t i = 0; i < given.size(); ++i) {
        size_t diagonal = row[0]++;
        for (size_t j = 0; j < known.size(); ++j) {
            const size_t replaced = diagonal + (given[i] == known[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string Advice(std::string_view given) {
    std::string_view nearest;
    size_t best = given.size() / 2 + 1;  // names that need this many changes are not similar
    for (const std::string_view name : kSettingNames) {
        const size_t distance = EditDistance(given, name);
        if (distance < best) {
            best = distance;
            nearest = name;
        }
    }
    if (!nearest.empty()) {
        return "did you mean " + std::string(kPrefix) + std::string(nearest) + "?";
    }
    std::string known;
    for (size_t i = 0; i < kSettingsOfUsers; ++i) {
        known += (i == 0 ? "" : ", ") + std::string(kPrefix) + std::string(kSettingNames[i]);
    }
    return "settings are " + known;
}

}  // namespace

std::string UnknownSettings() {
    static std::atomic<bool> asked{false};
    std::string text;
    if (asked.exchange(true)) {
        return text;
    }
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view variable = *entry;
        const size_t equals = variable.find('=');
        if (variable.substr(0, kPrefix.size()) != kPrefix || equals + 1 >= variable.size()) {
            continue;  // the variable is not cannery's, or has no value
        }
        const std::string_view name = variable.substr(kPrefix.size(), equals - kPrefix.size());
        if (std::find(std::begin(kSettingNames), std::end(kSettingNames), name) ==
            std::end(kSettingNames)) {
            text += (text.empty() ? "" : "\n") + std::string(variable.substr(0, equals)) +
                    " has no effect, because cannery has no such setting; " + Advice(name);
        }
    }
    return text;
}

}  // namespace twin

extern "C" {

/// Returns the sentences of UnknownSettings for Python, which shows them as warnings. No header
/// declares the function, because kernels must not see it.
TWIN_API const char* twinUnknownSettings() {
    static const std::string text = twin::UnknownSettings();
    return text.c_str();
}

}  // extern "C"
