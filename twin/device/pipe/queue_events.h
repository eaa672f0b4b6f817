// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/types/enums.h"

namespace twin {

/// The events that a queue from `source` to `destination` uses.
struct QueueRoute {
    AscendC::Hardware source;
    AscendC::Hardware destination;
    AscendC::HardEvent enQue;
    AscendC::HardEvent free;
};

/// Returns the events of a queue between two memories; each event is MAX if no such queue exists.
/// `enQue` makes the consumer wait for the producer. `free` makes the next producer wait for the
/// consumer. Source: queue events of the 8.1.RC1 device headers for A2.
constexpr QueueRoute RouteOf(AscendC::Hardware source, AscendC::Hardware destination) {
    using AscendC::HardEvent;
    using AscendC::Hardware;
    constexpr QueueRoute kRoutes[] = {
        {Hardware::GM, Hardware::UB, HardEvent::MTE2_V, HardEvent::V_MTE2},
        {Hardware::UB, Hardware::GM, HardEvent::V_MTE3, HardEvent::MTE3_V},
        {Hardware::UB, Hardware::UB, HardEvent::MTE2_MTE3, HardEvent::MTE3_MTE2},
        {Hardware::GM, Hardware::L1, HardEvent::MTE2_MTE1, HardEvent::MTE1_MTE2},
        {Hardware::GM, Hardware::L0A, HardEvent::MTE2_M, HardEvent::M_MTE2},
        {Hardware::GM, Hardware::L0B, HardEvent::MTE2_M, HardEvent::M_MTE2},
        {Hardware::UB, Hardware::L1, HardEvent::MTE3_MTE1, HardEvent::MTE1_MTE3},
        {Hardware::L1, Hardware::L0A, HardEvent::MTE1_M, HardEvent::M_MTE1},
        {Hardware::L1, Hardware::L0B, HardEvent::MTE1_M, HardEvent::M_MTE1},
        {Hardware::L1, Hardware::BIAS, HardEvent::MTE1_M, HardEvent::M_MTE1},
        {Hardware::L1, Hardware::FIXBUF, HardEvent::MTE1_FIX, HardEvent::FIX_MTE1},
        {Hardware::L0C, Hardware::GM, HardEvent::M_FIX, HardEvent::FIX_M},
    };
    for (const QueueRoute& route : kRoutes) {
        if (route.source == source && route.destination == destination) {
            return route;
        }
    }
    return QueueRoute{source, destination, HardEvent::MAX, HardEvent::MAX};
}

/// Returns the memory of a queue's position. CO2, the destination of L0C data, is in GM.
constexpr AscendC::Hardware QueueMemory(AscendC::TPosition position) {
    return position == AscendC::TPosition::CO2 ? AscendC::Hardware::GM
                                               : AscendC::GetPhyType(position);
}

constexpr QueueRoute QueueRouteOf(AscendC::TPosition source, AscendC::TPosition destination) {
    return RouteOf(QueueMemory(source), QueueMemory(destination));
}

/// Returns the position of a queue's buffers: the source if the destination is in GM or in the
/// memory of the source, otherwise the destination.
constexpr AscendC::TPosition BufferPosition(AscendC::TPosition source,
                                            AscendC::TPosition destination) {
    return QueueMemory(destination) == AscendC::Hardware::GM ||
                   (source != AscendC::TPosition::GM &&
                    QueueMemory(source) == QueueMemory(destination))
               ? source
               : destination;
}

/// Returns the event that EnQue sets and DeQue waits for if the caller names two positions.
constexpr AscendC::HardEvent UserEvent(AscendC::TPosition source, AscendC::TPosition destination) {
    using AscendC::Hardware;
    return QueueMemory(source) == Hardware::UB && QueueMemory(destination) == Hardware::UB
               ? AscendC::HardEvent::V_V
               : QueueRouteOf(source, destination).enQue;
}

/// Returns where the data of a TQue come from; QueueDestination returns where they go.
constexpr AscendC::TPosition QueueSource(AscendC::TPosition position) {
    using AscendC::TPosition;
    switch (position) {
        case TPosition::A2:
            return TPosition::A1;
        case TPosition::B2:
            return TPosition::B1;
        case TPosition::C2:
            return TPosition::C1;
        case TPosition::C2PIPE2GM:
            return TPosition::B1;
        case TPosition::VECOUT:
        case TPosition::VECCALC:  // from UB to UB
        case TPosition::CO1:
        case TPosition::CO2:
            return position;
        default:
            return TPosition::GM;
    }
}
constexpr AscendC::TPosition QueueDestination(AscendC::TPosition position) {
    using AscendC::TPosition;
    switch (position) {
        case TPosition::VECOUT:
        case TPosition::CO2:
            return TPosition::GM;
        case TPosition::CO1:
            return TPosition::CO2;
        default:
            return position;
    }
}

constexpr const char* QueueName(AscendC::TPosition source, AscendC::TPosition destination) {
    using AscendC::TPosition;
    if (source != TPosition::GM && QueueMemory(source) == QueueMemory(destination)) {
        return source == destination ? "VECCALC" : "TQueBind";
    }
    switch (BufferPosition(source, destination)) {
        case TPosition::A1:
            return "A1";
        case TPosition::A2:
            return "A2";
        case TPosition::B1:
            return "B1";
        case TPosition::B2:
            return "B2";
        case TPosition::C1:
            return "C1";
        case TPosition::C2:
            return "C2";
        case TPosition::CO1:
            return "CO1";
        case TPosition::C2PIPE2GM:
            return "C2PIPE2GM";
        case TPosition::TSCM:
            return "TSCM";
        case TPosition::VECOUT:
            return "VECOUT";
        default:
            return "VECIN";
    }
}

}  // namespace twin
