// SPDX-License-Identifier: Apache-2.0
#include "device/pipe/tpipe.h"

namespace twin {
namespace {

using AscendC::TBufType;

void Drain(PipeState& state, QueueEvent cause, Location where) {
    for (uint32_t i = 0; i < state.bufferCount; ++i) {
        TBufType& buffer = state.buffers[i];
        if (buffer.freeBufEvtID != AscendC::INVALID_TEVENTID) {
            IssueWaitFlag(buffer.freeBufEvt, buffer.freeBufEvtID, cause, where);
            ReleaseEvent(buffer.freeBufEvt, buffer.freeBufEvtID, where);
            buffer.freeBufEvtID = AscendC::INVALID_TEVENTID;
        }
    }
}

}  // namespace

void PipeStart(PipeState& state, AscendC::TPipe* pipe, Location where) {
    Core& core = Self();
    core.Begin(where);
    // As on the chip, a new TPipe starts allocation over and brings the registers into their
    // resting state.
    state = PipeState();
    state.alive = true;
    core.buffers.clear();
    core.nextQueue = 0;
    core.mask = MaskState();
    core.pipe = pipe;
}

void PipeEnd(PipeState& state, AscendC::TPipe* pipe, Location where) {
    if (!state.alive) {
        return;
    }
    state.alive = false;
    Core& core = Self();
    const Location place = where.line == 0 ? core.where : where;
    Drain(state, QueueEvent::Drain, place);
    IssueBarrier("PipeBarrier", Pipe::All, place);
    if (core.pipe == pipe) {
        core.pipe = nullptr;
    }
}

void PipeReset(PipeState& state, Location where) {
    Self().Begin(where);
    Drain(state, QueueEvent::Drain, where);
    state.bufferCount = 0;
    state.nextAddress = 0;
    Self().buffers.clear();
}

TBufType* PipeAllocate(PipeState& state, uint32_t count, uint32_t bytes, const char* kind,
                       int16_t* queueId, Location where) {
    Core& core = Self();
    core.Begin(where);
    if (count == 0 || bytes == 0) {
        Fail("T108",
             "empty buffer: InitBuffer of %u %s buffers of %u B, expected at least one of each",
             count, kind, bytes);
    }
    if (state.bufferCount + count > kMaxBuffers) {
        Fail("T108", "too many buffers: InitBuffer of %u more %s buffers, %u of %u are taken",
             count, kind, state.bufferCount, kMaxBuffers);
    }
    const uint64_t rounded =
        (static_cast<uint64_t>(bytes) + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    const uint64_t end = state.nextAddress + rounded * count;
    if (end > core.ubBytes) {
        Fail("T106",
             "UB full: InitBuffer of %u %s buffers of %u B ends at 0x%llx > 0x%llx (%llu B on %s), "
             "%u B are taken"
             "\n  try: smaller tiles or fewer buffers",
             count, kind, bytes, static_cast<unsigned long long>(end),
             static_cast<unsigned long long>(core.ubBytes),
             static_cast<unsigned long long>(core.ubBytes), core.soc->name, state.nextAddress);
    }
    *queueId = core.nextQueue++;
    TBufType* first = &state.buffers[state.bufferCount];
    for (uint32_t i = 0; i < count; ++i) {
        TBufType& buffer = state.buffers[state.bufferCount++];
        buffer = TBufType();
        buffer.address = state.nextAddress;
        buffer.dataLen = static_cast<uint32_t>(rounded);
        state.nextAddress += static_cast<uint32_t>(rounded);
        core.buffers.push_back(BufferRecord{Memory::Ub, buffer.address, buffer.dataLen, *queueId,
                                            static_cast<int16_t>(i), kind});
    }
    return first;
}

}  // namespace twin
