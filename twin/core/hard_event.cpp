// SPDX-License-Identifier: Apache-2.0
#include "core/hard_event.h"

#include "core/core.h"

namespace twin {
namespace {

// Source: the HardEvent enumeration of the 8.1.RC1 device headers; the last column is its subset
// for vector cores.
constexpr HardEventInfo kEvents[] = {
    {"MTE2_MTE1", Pipe::Mte2, Pipe::Mte1, false},
    {"MTE1_MTE2", Pipe::Mte1, Pipe::Mte2, false},
    {"MTE1_M", Pipe::Mte1, Pipe::M, false},
    {"M_MTE1", Pipe::M, Pipe::Mte1, false},
    {"MTE2_V", Pipe::Mte2, Pipe::V, true},
    {"V_MTE2", Pipe::V, Pipe::Mte2, true},
    {"MTE3_V", Pipe::Mte3, Pipe::V, true},
    {"V_MTE3", Pipe::V, Pipe::Mte3, true},
    {"M_V", Pipe::M, Pipe::V, false},
    {"V_M", Pipe::V, Pipe::M, false},
    {"V_V", Pipe::V, Pipe::V, true},
    {"MTE3_MTE1", Pipe::Mte3, Pipe::Mte1, false},
    {"MTE1_MTE3", Pipe::Mte1, Pipe::Mte3, false},
    {"MTE1_V", Pipe::Mte1, Pipe::V, false},
    {"MTE2_M", Pipe::Mte2, Pipe::M, false},
    {"M_MTE2", Pipe::M, Pipe::Mte2, false},
    {"V_MTE1", Pipe::V, Pipe::Mte1, false},
    {"M_FIX", Pipe::M, Pipe::Fix, false},
    {"FIX_M", Pipe::Fix, Pipe::M, false},
    {"MTE3_MTE2", Pipe::Mte3, Pipe::Mte2, true},
    {"MTE2_MTE3", Pipe::Mte2, Pipe::Mte3, true},
    {"S_V", Pipe::S, Pipe::V, true},
    {"V_S", Pipe::V, Pipe::S, true},
    {"S_MTE2", Pipe::S, Pipe::Mte2, true},
    {"MTE2_S", Pipe::Mte2, Pipe::S, true},
    {"S_MTE3", Pipe::S, Pipe::Mte3, true},
    {"MTE3_S", Pipe::Mte3, Pipe::S, true},
    {"MTE2_FIX", Pipe::Mte2, Pipe::Fix, false},
    {"FIX_MTE2", Pipe::Fix, Pipe::Mte2, false},
    {"FIX_S", Pipe::Fix, Pipe::S, false},
    {"M_S", Pipe::M, Pipe::S, false},
    {"FIX_MTE3", Pipe::Fix, Pipe::Mte3, false},
    {"MTE1_FIX", Pipe::Mte1, Pipe::Fix, false},
    {"FIX_MTE1", Pipe::Fix, Pipe::Mte1, false},
    {"FIX_FIX", Pipe::Fix, Pipe::Fix, false},
};
static_assert(sizeof(kEvents) / sizeof(kEvents[0]) == kHardEvents, "one row per HardEvent");

}  // namespace

const HardEventInfo& EventInfo(uint32_t hardEvent) {
    return kEvents[hardEvent < kHardEvents ? hardEvent : kHardEvents - 1];
}

}  // namespace twin
