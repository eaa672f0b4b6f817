// SPDX-License-Identifier: Apache-2.0
#include "device/sys/assert.h"

namespace twin {

void AssertionFailed(const char* condition, const char* message, Location where) {
    Core& core = Self();
    core.Begin(where);
    Fail("T442", "assertion failed: %s%s%s", condition, message[0] == '\0' ? "" : ", ", message);
}

}  // namespace twin
