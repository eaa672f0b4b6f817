// SPDX-License-Identifier: Apache-2.0
#include "device/sync/events.h"

#include "core/launch_state.h"
#include "device/issue/issue.h"

namespace twin {
namespace {

using AscendC::HardEvent;
using AscendC::TEventID;

uint32_t Index(HardEvent event, int32_t id, const char* api) {
    const auto index = static_cast<uint32_t>(event);
    const Core& core = Self();
    if (index >= kHardEvents || (!EventInfo(index).onAiv && core.launch->shape.aic == 0)) {
        Fail("T304",
             "event not on this core: %s<HardEvent::%s> in a vector kernel, whose events are those "
             "between V,"
             " MTE2, MTE3 and S",
             api, index < kHardEvents ? EventInfo(index).name : "MAX");
    }
    if (id < 0 || id >= static_cast<int32_t>(kEventIds)) {
        Fail("T304", "event id out of range: %s<HardEvent::%s>(%d), expected 0 to %u", api,
             EventInfo(index).name, id, kEventIds - 1);
    }
    return index;
}

/// Returns true for an event of the vector pipe on a cube core. The library sets no flag for it.
bool LeftOut(const Core& core, uint32_t index) {
    const HardEventInfo& info = EventInfo(index);
    const bool vector = info.source == Pipe::V || info.destination == Pipe::V;
    return core.kind == CoreKind::Aic && vector && info.onAiv;
}

/// Returns the last part of the message of T302. `ofPipe` is true if TPipe made one of the two
/// calls of SetFlag.
const char* RemedyOfSecondSet(bool ofPipe) {
    return ofPipe ? "; TPipe uses ids 0 to 2 of M_MTE1 as long as it exists"
                    "\n  try: EVENT_ID3 to EVENT_ID7, or AllocEventID<HardEvent::M_MTE1>()"
                  : ", and nobody has waited for it\n  try: one WaitFlag for every SetFlag, or "
                    "another event "
                    "id";
}

void Report(Core& core, uint32_t index, int32_t id, bool set, FlagCause cause) {
    const HardEventInfo& info = EventInfo(index);
    const OnPipe what =
        set ? OnPipe(Opcode::SetFlag, info.source) : OnPipe(Opcode::WaitFlag, info.destination);
    Issue issue(what, core);
    issue.Is(record::Flag{static_cast<int8_t>(index), static_cast<int8_t>(id), set, cause.event,
                          cause.queue, cause.slot});
    issue.Done();
}

}  // namespace

void IssueSetFlag(HardEvent event, int32_t id, FlagCause cause, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint32_t index = Index(event, id, "SetFlag");
    if (LeftOut(core, index)) {
        return;
    }
    const auto bit = static_cast<uint8_t>(1U << id);
    Report(core, index, id, true, cause);
    if ((core.flags[index] & bit) != 0) {
        const Location& first = core.flagSetAt[index][id];
        const bool ofPipe =
            cause.event == QueueEvent::Alloc || core.flagSetBy[index][id] == QueueEvent::Alloc;
        Fail("T302",
             "flag set twice: SetFlag<HardEvent::%s>(%d) while the flag is still set (at %s:%u)%s",
             EventInfo(index).name, id, first.file, first.line, RemedyOfSecondSet(ofPipe));
    }
    core.flags[index] |= bit;
    core.flagSetAt[index][id] = where;
    core.flagSetBy[index][id] = cause.event;
}

void IssueWaitFlag(HardEvent event, int32_t id, FlagCause cause, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint32_t index = Index(event, id, "WaitFlag");
    if (LeftOut(core, index)) {
        return;
    }
    const auto bit = static_cast<uint8_t>(1U << id);
    Report(core, index, id, false, cause);
    if ((core.flags[index] & bit) == 0) {
        if (cause.event == QueueEvent::Drain && event == HardEvent::M_MTE1) {
            Fail("T303",
                 "deadlock: at its end TPipe waits for its flag M_MTE1 id %d, for which the kernel "
                 "has already waited: ids 0 to 2 of M_MTE1 are TPipe's own"
                 "\n  try: EVENT_ID3 to EVENT_ID7, or AllocEventID<HardEvent::M_MTE1>()",
                 id);
        }
        Fail(
            "T303",
            "deadlock: WaitFlag<HardEvent::%s>(%d), but no SetFlag of this event and id comes "
            "before it: the"
            " core would wait for ever\n  try: SetFlag<HardEvent::%s>(%d) earlier in program order",
            EventInfo(index).name, id, EventInfo(index).name, id);
    }
    core.flags[index] &= static_cast<uint8_t>(~bit);
}

TEventID ReserveEvent(HardEvent event, Location where) {
    Core& core = Self();
    const TEventID id = PeekEvent(event, where);
    core.eventPool[static_cast<uint32_t>(event)] |= static_cast<uint8_t>(1U << id);
    return id;
}

void ReleaseEvent(HardEvent event, TEventID id, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint32_t index = Index(event, id, "ReleaseEventID");
    core.eventPool[index] &= static_cast<uint8_t>(~(1U << id));
}

TEventID PeekEvent(HardEvent event, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint32_t index = Index(event, 0, "AllocEventID");
    const uint8_t taken = core.eventPool[index];
    if (taken == UINT8_MAX) {
        Fail("T305",
             "event ids exhausted: all %u ids of HardEvent::%s are reserved\n  try: at most %u "
             "buffers in"
             " flight per position (4 double-buffered queues), and ReleaseEventID for every "
             "AllocEventID",
             kEventIds, EventInfo(index).name, kEventIds);
    }
    TEventID id = 0;
    while ((taken & (1U << id)) != 0) {
        ++id;
    }
    return id;
}

void SyncPipes(HardEvent event, Location where) {
    const TEventID id = PeekEvent(event, where);
    IssueSetFlag(event, id, QueueEvent::None, where);
    IssueWaitFlag(event, id, QueueEvent::None, where);
}

void IssueBarrier(Opcode opcode, Pipe pipe, Location where) {
    IssueAlone({opcode, pipe}, record::Barrier{}, where);
}

void IssueAlone(OnPipe what, const Instruction::Kind& kind, Location where) {
    Issue issue(what, where);
    issue.Is(kind);
    if (issue.core().kind == CoreKind::Aiv || what.pipe != Pipe::V) {
        issue.Done();
    }
}

HardEvent EventBetween(pipe_t source, pipe_t destination, Location where) {
    for (uint32_t i = 0; i < kHardEvents; ++i) {
        const HardEventInfo& info = EventInfo(i);
        if (static_cast<int>(info.source) == source &&
            static_cast<int>(info.destination) == destination) {
            return static_cast<HardEvent>(i);
        }
    }
    Self().Begin(where);
    Fail("T304", "no such event: TQueSync between pipes %s and %s", Name(static_cast<Pipe>(source)),
         Name(static_cast<Pipe>(destination)));
}

}  // namespace twin
