// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LIBRARY_TILING_RULES_H
#define TWIN_DEVICE_LIBRARY_TILING_RULES_H

#include <cstdint>
#include <initializer_list>

namespace twin::advanced {

/// The value that a field of a tiling must have for its call.
struct FieldRule {
    const char* field;
    uint64_t value;
    uint64_t expected;
};

/// Refuses the first field that does not fit (T720), whoever filled it.
void CheckFields(const char* api, std::initializer_list<FieldRule> rules);

}  // namespace twin::advanced

#endif  // TWIN_DEVICE_LIBRARY_TILING_RULES_H
