// SPDX-License-Identifier: Apache-2.0
#include "device/sys/assert.h"

#include <cstdio>
#include <cstdlib>

namespace twin {

void AssertionFailed(const char* condition, const char* message, Location where) {
    if (SelfOrNull() == nullptr) {
        std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.%s%s\n", where.file, where.line,
                     where.function, condition, message[0] == '\0' ? "" : " ", message);
        std::abort();
    }
    Core& core = Self();
    core.Begin(where);
    Fail("T442", "assertion failed: %s%s%s", condition, message[0] == '\0' ? "" : ", ", message);
}

}  // namespace twin
