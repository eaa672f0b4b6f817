// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_HARD_EVENT_H
#define TWIN_CORE_HARD_EVENT_H

#include "core/types.h"

namespace twin {

/// A HardEvent of the API: the pipe that sets the flag and the pipe that waits for it. In the API's
/// order.
struct HardEventInfo {
    const char* name;
    Pipe source;
    Pipe destination;
    bool onAiv;
};

TWIN_API const HardEventInfo& EventInfo(uint32_t hardEvent);

}  // namespace twin

#endif  // TWIN_CORE_HARD_EVENT_H
