// SPDX-License-Identifier: Apache-2.0
#include "device/pipe/queue.h"

#include "device/sync/events.h"

namespace twin {
namespace {

using AscendC::HardEvent;
using AscendC::TBufState;
using AscendC::TBufType;

const char* StateName(TBufState state) {
    static const char* const kNames[] = {"free", "allocated", "enqueued", "dequeued"};
    return kNames[static_cast<int>(state)];
}

void RequireInit(const QueueState& queue, const QueueTraits& traits, const char* api) {
    if (queue.first == nullptr) {
        Fail("T208",
             "queue without buffers: %s on %s before InitBuffer\n  try: pipe.InitBuffer(queue, "
             "num, bytes)",
             api, traits.name);
    }
}

void RequireOwn(const QueueState& queue, const QueueTraits& traits, const TBufType* buffer,
                const char* api) {
    if (buffer < queue.first || buffer >= queue.first + queue.bufferCount) {
        Fail("T207",
             "tensor of another queue: %s on %s #%d was given a tensor that this queue did not "
             "allocate\n  try: "
             "pass the tensor that AllocTensor or DeQue of the same queue returned",
             api, traits.name, queue.id);
    }
}

/// Returns false for TSCM on a vector core: the cube core that gets the data orders its own pipes.
bool NeedsFlags(const QueueTraits& traits) {
    return traits.position != AscendC::TPosition::TSCM || Self().kind != CoreKind::Aiv;
}

FlagCause CauseOf(const QueueState& queue, const TBufType* buffer, QueueEvent event) {
    return {event, queue.id, static_cast<int16_t>(buffer - queue.first)};
}

void WaitFree(const QueueState& queue, TBufType& buffer, QueueEvent cause, Location where) {
    if (buffer.freeBufEvtID != AscendC::INVALID_TEVENTID) {
        IssueWaitFlag(buffer.freeBufEvt, buffer.freeBufEvtID, CauseOf(queue, &buffer, cause),
                      where);
        ReleaseEvent(buffer.freeBufEvt, buffer.freeBufEvtID, where);
        buffer.freeBufEvtID = AscendC::INVALID_TEVENTID;
    }
}

void WaitEnQueued(const QueueState& queue, const QueueTraits& traits, TBufType* buffer,
                  HardEvent event, Location where) {
    if (buffer->userEnQueEvt != event) {
        Fail("T206", "positions differ: DeQue on %s #%d names other positions than the EnQue did",
             traits.name, queue.id);
    }
    if (NeedsFlags(traits)) {
        IssueWaitFlag(event, buffer->enQueEvtID, QueueEvent::DeQue, where);
        if (event != HardEvent::V_V) {
            ReleaseEvent(event, buffer->enQueEvtID, where);
        }
    }
    buffer->enQueEvtID = AscendC::INVALID_TEVENTID;
    buffer->state = TBufState::DEQUE;
}

}  // namespace

TBufType* QueueAlloc(QueueState& queue, const QueueTraits& traits, Location where) {
    Core& core = Self();
    core.Begin(where);
    ++core.scalarWork.queueCalls;
    RequireInit(queue, traits, "AllocTensor");
    for (uint8_t tried = 0; tried < queue.bufferCount; ++tried) {
        TBufType& buffer = queue.first[queue.cursor];
        queue.cursor = static_cast<uint8_t>((queue.cursor + 1) % queue.bufferCount);
        if (buffer.state == TBufState::FREE) {
            WaitFree(queue, buffer, QueueEvent::Alloc, where);
            buffer.state = TBufState::OCCUPIED;
            return &buffer;
        }
    }
    Fail("T201",
         "no free buffer: AllocTensor on %s #%d finds all %u buffers in use; on the chip this loop "
         "never ends"
         "\n  try: FreeTensor after the last use of a tensor, or more buffers in InitBuffer",
         traits.name, queue.id, queue.bufferCount);
}

void QueueFree(QueueState& queue, const QueueTraits& traits, TBufType* buffer, Location where) {
    Core& core = Self();
    core.Begin(where);
    ++core.scalarWork.queueCalls;
    RequireInit(queue, traits, "FreeTensor");
    RequireOwn(queue, traits, buffer, "FreeTensor");
    if (buffer->state == TBufState::FREE) {
        Fail("T204", "freed twice: FreeTensor on %s #%d of a buffer that is already free",
             traits.name, queue.id);
    }
    if (NeedsFlags(traits)) {
        buffer->freeBufEvt = traits.freeEvent;
        buffer->freeBufEvtID = ReserveEvent(traits.freeEvent, where);
        IssueSetFlag(traits.freeEvent, buffer->freeBufEvtID,
                     CauseOf(queue, buffer, QueueEvent::Free), where);
    }
    buffer->state = TBufState::FREE;
}

void QueueEnQue(QueueState& queue, const QueueTraits& traits, TBufType** ring, TBufType* buffer,
                HardEvent event, Location where) {
    Core& core = Self();
    core.Begin(where);
    ++core.scalarWork.queueCalls;
    RequireInit(queue, traits, "EnQue");
    RequireOwn(queue, traits, buffer, "EnQue");
    if (traits.depth != 0 && queue.used >= traits.depth) {
        Fail("T203",
             "queue full: EnQue on %s #%d of depth %u with %u tensors already in it\n  try: DeQue "
             "first, or a "
             "larger depth (double buffering is the num argument of InitBuffer)",
             traits.name, queue.id, traits.depth, queue.used);
    }
    if (buffer->state != TBufState::OCCUPIED && buffer->state != TBufState::DEQUE) {
        Fail("T205",
             "wrong buffer state: EnQue on %s #%d of a buffer that is %s, expected allocated or "
             "dequeued",
             traits.name, queue.id, StateName(buffer->state));
    }
    buffer->userEnQueEvt = event;
    if (NeedsFlags(traits)) {
        buffer->enQueEvtID =
            event == HardEvent::V_V ? AscendC::TEventID{0} : ReserveEvent(event, where);
        IssueSetFlag(event, buffer->enQueEvtID, QueueEvent::EnQue, where);
    }
    buffer->state = TBufState::ENQUE;
    if (traits.depth != 0) {  // with depth 0 the queue keeps no list of its tensors
        ring[(queue.head + queue.used) % traits.depth] = buffer;
        ++queue.used;
    }
}

TBufType* QueueDeQue(QueueState& queue, const QueueTraits& traits, TBufType** ring, HardEvent event,
                     Location where) {
    Core& core = Self();
    core.Begin(where);
    ++core.scalarWork.queueCalls;
    RequireInit(queue, traits, "DeQue");
    if (queue.used == 0) {
        Fail("T202",
             "queue empty: DeQue on %s #%d without a tensor in it\n  try: EnQue before DeQue",
             traits.name, queue.id);
    }
    TBufType* buffer = ring[queue.head];
    WaitEnQueued(queue, traits, buffer, event, where);
    queue.head = static_cast<uint16_t>((queue.head + 1) % traits.depth);
    --queue.used;
    return buffer;
}

void QueueDeQueInPlace(QueueState& queue, const QueueTraits& traits, TBufType* buffer,
                       HardEvent event, Location where) {
    Core& core = Self();
    core.Begin(where);
    ++core.scalarWork.queueCalls;
    RequireInit(queue, traits, "DeQue");
    RequireOwn(queue, traits, buffer, "DeQue");
    if (buffer->state != TBufState::ENQUE) {
        Fail("T202",
             "queue empty: DeQue on %s #%d of a tensor that is %s\n  try: EnQue before DeQue",
             traits.name, queue.id, StateName(buffer->state));
    }
    WaitEnQueued(queue, traits, buffer, event, where);
}

bool QueueHasIdle(const QueueState& queue) {
    for (uint8_t i = 0; i < queue.bufferCount; ++i) {
        if (queue.first[i].state == TBufState::FREE) {
            return true;
        }
    }
    return false;
}

void QueueDrain(QueueState& queue, Location where) {
    for (uint8_t i = 0; i < queue.bufferCount; ++i) {
        WaitFree(queue, queue.first[i], QueueEvent::Drain, where);
    }
}

void CheckQueueConfig(const AscendC::TQueConfig& config, uint32_t count, uint32_t bytes) {
    if ((config.bufferNumber != 0 && config.bufferNumber != count) ||
        (config.bufferLen != 0 && config.bufferLen != bytes)) {
        Fail("T220",
             "buffers differ from TQueConfig: InitBuffer of %u buffers of %u B, the queue's type "
             "says %u buffers of %u B (0: any)",
             count, bytes, config.bufferNumber, config.bufferLen);
    }
}

int32_t& BufferTag(uint8_t* handle) {
    if (handle == nullptr) {
        Fail("T207",
             "tensor without a buffer: SetUserTag and GetUserTag need a tensor that a queue or "
             "TBuf handed out");
    }
    return reinterpret_cast<TBufType*>(handle)->usertag;
}

AscendC::TBuffAddr BufferAddress(const TBufType* buffer, AscendC::TPosition position) {
    AscendC::TBuffAddr address;
    address.dataLen = buffer->dataLen;
    address.bufferAddr = buffer->address;
    address.bufferHandle = reinterpret_cast<uint8_t*>(const_cast<TBufType*>(buffer));
    address.logicPos = static_cast<uint8_t>(position);
    uint8_t* const memory = Self().memory[static_cast<size_t>(MemoryOf(address.logicPos))];
    address.absAddr = memory == nullptr ? nullptr : memory + buffer->address;
    return address;
}

}  // namespace twin
