// SPDX-License-Identifier: Apache-2.0
#include "device/library/tiling_rules.h"

#include <cinttypes>

#include "core/core.h"

namespace twin::advanced {

void CheckFields(const char* api, std::initializer_list<FieldRule> rules) {
    for (const FieldRule& rule : rules) {
        if (rule.value != rule.expected) {
            Fail("T720",
                 "tiling does not fit: %s with %s = %" PRIu64 " in its tiling, expected %" PRIu64
                 "\n  try: fill it with the host's tiling function, for the shape, type and "
                 "template "
                 "arguments of this call",
                 api, rule.field, rule.value, rule.expected);
        }
    }
}

}  // namespace twin::advanced
