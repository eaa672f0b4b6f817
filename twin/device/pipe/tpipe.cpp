// SPDX-License-Identifier: Apache-2.0
#include "device/pipe/tpipe.h"

#include <algorithm>

#include "device/sys/init_soc_state.h"

namespace twin {

using AscendC::TBufType;

void PipeStart(PipeState& state, AscendC::TPipe* pipe, Location where) {
    Core& core = Self();
    core.Begin(where);
    // As on the chip, a new TPipe starts allocation over and brings the registers into their
    // resting state.
    state = PipeState();
    state.alive = true;
    core.buffers.clear();
    core.nextQueue = 0;
    RestRegisters(core);
    core.pipe = pipe;
}

void PipeEnd(PipeState& state, AscendC::TPipe* pipe, Location where) {
    if (!state.alive) {
        return;
    }
    state.alive = false;
    Core& core = Self();
    const Location place = where.line == 0 ? core.where : where;
    DrainBuffers(state.buffers, state.bufferCount, QueueEvent::Drain, place);
    IssueBarrier("PipeBarrier", Pipe::All, place);
    if (core.pipe == pipe) {
        core.pipe = nullptr;
    }
}

void PipeTakeOver(PipeState& state, const PipeState& other) {
    // Queues hold on to the records of the pipe that made them, and a copy of these would be
    // drained twice.
    if (state.bufferCount != 0 || other.bufferCount != 0) {
        Fail("T223",
             "pipe with buffers copied: a TPipe is assigned to another one; the first has %u "
             "buffers, the second %u\n  try: assign before InitBuffer, or pass a TPipe*",
             other.bufferCount, state.bufferCount);
    }
    state = other;
    state.alive = true;
}

void PipeReset(PipeState& state, Location where) {
    Core& core = Self();
    core.Begin(where);
    DrainBuffers(state.buffers, state.bufferCount, QueueEvent::Drain, where);
    state.bufferCount = 0;
    state.nextAddress = 0;
    core.buffers.clear();
    RestRegisters(core);
}

TBufType* PipeAllocate(PipeState& state, uint32_t count, uint32_t bytes, const char* kind,
                       int16_t* queueId, Location where) {
    Core& core = Self();
    core.Begin(where);
    CheckBuffers(count, bytes, kind);
    if (state.bufferCount + count > kMaxBuffers) {
        Fail("T108", "too many buffers: InitBuffer of %u more %s buffers, %u of %u are taken",
             count, kind, state.bufferCount, kMaxBuffers);
    }
    const uint64_t end = state.nextAddress + RoundToBlocks(bytes) * count;
    if (end > core.ubBytes) {
        Fail("T106",
             "UB full: InitBuffer of %u %s buffers of %u B ends at 0x%llx > 0x%llx (%llu B on %s), "
             "%u B are taken"
             "\n  try: smaller tiles or fewer buffers",
             count, kind, bytes, static_cast<unsigned long long>(end),
             static_cast<unsigned long long>(core.ubBytes),
             static_cast<unsigned long long>(core.ubBytes), core.soc->name, state.nextAddress);
    }
    TBufType* first = &state.buffers[state.bufferCount];
    *queueId = PlaceBuffers(first, count, bytes, state.nextAddress, kind);
    state.bufferCount += count;
    state.nextAddress = static_cast<uint32_t>(end);
    return first;
}

AscendC::TBuffAddr AbsoluteAddress(AscendC::TPosition position, int32_t offset, int32_t bytes,
                                   Location where) {
    Core& core = Self();
    core.Begin(where);
    AscendC::TBuffAddr address;
    address.logicPos = static_cast<uint8_t>(position);
    address.bufferAddr = static_cast<uint32_t>(offset);
    address.dataLen = static_cast<uint32_t>(bytes);
    address.absAddr = core.ub + address.bufferAddr;
    const Operand operand{address.bufferAddr, address.dataLen, address.logicPos};
    RequireUb(operand, "GetAbsAddr", "tensor");
    core.CheckUb(operand.address, operand.bytes, 1, "GetAbsAddr", "tensor");
    return address;
}

AscendC::TBuffAddr StackBuffer(AscendC::TPosition position, Location where) {
    constexpr uint32_t kMessageBytes = 64;  // the library's message slot at the end of UB
    Core& core = Self();
    core.Begin(where);
    if (core.pipe == nullptr) {
        Fail("T222",
             "no TPipe: PopStackBuffer takes what the core's TPipe has left, and there is "
             "none\n  try: declare a TPipe first");
    }
    const uint64_t end = std::min<uint64_t>(core.ubBytes, AscendC::TOTAL_UB_SIZE - kMessageBytes);
    const uint32_t start = PipeEndAddress(*core.pipe);
    if (start >= end) {
        Fail("T106", "UB full: PopStackBuffer finds nothing left behind 0x%x", start);
    }
    AscendC::TBuffAddr address;
    address.logicPos = static_cast<uint8_t>(position);
    address.bufferAddr = start;
    address.dataLen = static_cast<uint32_t>(end - start);
    address.absAddr = core.ub + start;
    return address;
}

}  // namespace twin
