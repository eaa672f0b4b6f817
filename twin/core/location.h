// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_LOCATION_H
#define TWIN_CORE_LOCATION_H

#include <cstdint>

namespace twin {

/// The place of an Ascend C call in the kernel's source. API functions have it as their last,
/// defaulted parameter, which the compiler fills in at the caller.
struct Location {
    const char* file = "";
    const char* function = "";
    uint32_t line = 0;

    static constexpr Location Here(const char* file = __builtin_FILE(),
                                   const char* function = __builtin_FUNCTION(),
                                   uint32_t line = __builtin_LINE()) {
        return Location{file, function, line};
    }
};

}  // namespace twin

#define TWIN_HERE ::twin::Location here = ::twin::Location::Here()

#endif  // TWIN_CORE_LOCATION_H
