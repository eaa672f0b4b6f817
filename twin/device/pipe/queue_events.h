// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_PIPE_QUEUE_EVENTS_H
#define TWIN_DEVICE_PIPE_QUEUE_EVENTS_H

#include "device/types/enums.h"

namespace twin {

/// The event that orders a producer at `source` before a consumer at `destination`, and the one
/// back.
constexpr AscendC::HardEvent EnQueEvent(AscendC::TPosition source, AscendC::TPosition destination) {
    using AscendC::HardEvent;
    using AscendC::TPosition;
    if (source == TPosition::GM) {
        return HardEvent::MTE2_V;
    }
    return destination == TPosition::GM ? HardEvent::V_MTE3 : HardEvent::MTE2_MTE3;
}

constexpr AscendC::HardEvent FreeEvent(AscendC::TPosition source, AscendC::TPosition destination) {
    using AscendC::HardEvent;
    using AscendC::TPosition;
    if (source == TPosition::GM) {
        return HardEvent::V_MTE2;
    }
    return destination == TPosition::GM ? HardEvent::MTE3_V : HardEvent::MTE3_MTE2;
}

/// For EnQue and DeQue with explicit positions: who produced the data and who takes them.
constexpr AscendC::HardEvent UserEvent(AscendC::TPosition source, AscendC::TPosition destination) {
    using AscendC::TPosition;
    if (source != TPosition::GM && destination != TPosition::GM) {
        return AscendC::HardEvent::V_V;
    }
    return EnQueEvent(source, destination);
}

constexpr bool IsQueuePosition(AscendC::TPosition position) {
    using AscendC::TPosition;
    return position == TPosition::GM || position == TPosition::VECIN ||
           position == TPosition::VECOUT || position == TPosition::VECCALC;
}

constexpr const char* QueueName(AscendC::TPosition source, AscendC::TPosition destination) {
    using AscendC::TPosition;
    if (source == TPosition::GM) {
        return "VECIN";
    }
    return destination == TPosition::GM ? "VECOUT"
                                        : (source == destination ? "VECCALC" : "TQueBind");
}

}  // namespace twin

#endif  // TWIN_DEVICE_PIPE_QUEUE_EVENTS_H
