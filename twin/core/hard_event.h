// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_HARD_EVENT_H
#define TWIN_CORE_HARD_EVENT_H

#include "core/types.h"

namespace twin {

/// A HardEvent of the API: who sets the flag and who waits for it. In the API's order.
struct HardEventInfo {
    const char* name;
    Pipe source;
    Pipe destination;
    bool onAiv;
};

TWIN_API const HardEventInfo& EventInfo(uint32_t hardEvent);

}  // namespace twin

#endif  // TWIN_CORE_HARD_EVENT_H
