// SPDX-License-Identifier: Apache-2.0
#include "device/sync/builtins.h"

namespace twin {

AscendC::HardEvent EventBetween(Pipe source, Pipe destination, const char* api, Location where) {
    Self().Begin(where);
    for (uint32_t event = 0; event < kHardEvents; ++event) {
        const HardEventInfo& info = EventInfo(event);
        if (info.source == source && info.destination == destination) {
            return static_cast<AscendC::HardEvent>(event);
        }
    }
    Fail("T304", "no such event: %s from pipe %s to pipe %s, which have no flags between them", api,
         Name(source), Name(destination));
}

}  // namespace twin
