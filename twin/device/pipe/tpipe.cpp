// SPDX-License-Identifier: Apache-2.0
#include "device/pipe/tpipe.h"

#include <algorithm>
#include <iterator>

#include "core/launch_state.h"
#include "core/memory_map.h"
#include "device/issue/issue.h"
#include "device/pipe/tbuf.h"

namespace twin {

using AscendC::TBufType;

namespace {

constexpr int32_t kMatmulEvents = 3;

/// Reserves and sets the M_MTE1 flags 0 to 2 on a cube core, for the library's matrix code.
/// ReturnMatmulEvents waits for them.
void ReserveMatmulEvents(const Core& core, Location where) {
    if (core.kind != CoreKind::Aic) {
        return;
    }
    for (int32_t i = 0; i < kMatmulEvents; ++i) {
        IssueSetFlag(AscendC::HardEvent::M_MTE1, ReserveEvent(AscendC::HardEvent::M_MTE1, where),
                     QueueEvent::Alloc, where);
    }
}

void ReturnMatmulEvents(const Core& core, Location where) {
    if (core.kind != CoreKind::Aic) {
        return;
    }
    for (int32_t i = 0; i < kMatmulEvents; ++i) {
        IssueWaitFlag(AscendC::HardEvent::M_MTE1, i, QueueEvent::Drain, where);
        ReleaseEvent(AscendC::HardEvent::M_MTE1, static_cast<AscendC::TEventID>(i), where);
    }
}

constexpr auto kEvery = [](const BufferRecord&) { return true; };

}  // namespace

void PipeStart(PipeState& state, AscendC::TPipe* pipe, Location where) {
    Core& core = Self();
    core.Begin(where);
    // As on the chip, a new TPipe allocates from address 0 again and resets the registers.
    state = PipeState();
    state.alive = true;
    core.TakeBuffersBack(kEvery, where);
    core.nextQueue = 0;
    RestRegisters(core);
    Issue(Opcode::InitPipe, core).Done();
    ReserveMatmulEvents(core, where);
    core.pipe = pipe;
}

namespace {

void EndPipe(PipeState& state, AscendC::TPipe* pipe, bool barrier, Location where) {
    if (!state.alive) {
        return;
    }
    state.alive = false;
    Core& core = Self();
    const Location place = where.line == 0 ? core.where : where;
    DrainBuffers(state.buffers, state.bufferCount, QueueEvent::Drain, place);
    ReturnMatmulEvents(core, place);
    if (barrier) {
        IssueBarrier(Opcode::PipeBarrier, Pipe::All, place);
    }
    if (core.pipe == pipe) {  // otherwise a newer TPipe manages the core's memory
        core.TakeBuffersBack(kEvery, place);
        core.pipe = nullptr;
    }
}

}  // namespace

void PipeEnd(PipeState& state, AscendC::TPipe* pipe, Location where) {
    EndPipe(state, pipe, true, where);
}

void PipeEndWithoutBarrier(PipeState& state, AscendC::TPipe* pipe, Location where) {
    EndPipe(state, pipe, false, where);
}

void PipeTakeOver(PipeState& state, const PipeState& other) {
    // A queue points to the buffer records of its TPipe. If the records were copied, both objects
    // would wait for the same events.
    if (state.bufferCount != 0 || other.bufferCount != 0) {
        Fail("T223",
             "pipe with buffers copied: a TPipe is assigned to another one; the first has %u "
             "buffers, the second %u\n  try: assign before InitBuffer, or pass a TPipe*",
             other.bufferCount, state.bufferCount);
    }
    state = other;
    state.alive = true;
}

void PipeCopy(PipeState& state, const PipeState& other) {
    if (other.alive && other.bufferCount != 0) {
        Fail("T223",
             "pipe with buffers copied: a TPipe is made from another one with %u buffers\n  try: "
             "copy before InitBuffer or after Destroy, or pass a TPipe*",
             other.bufferCount);
    }
    state = other;
}

void PipeReset(PipeState& state, Location where) {
    Core& core = Self();
    core.Begin(where);
    DrainBuffers(state.buffers, state.bufferCount, QueueEvent::Drain, where);
    state.bufferCount = 0;
    std::fill(std::begin(state.nextAddress), std::end(state.nextAddress), 0U);
    state.tscmBytes = 0;
    state.shared = false;
    state.sharedOwner = nullptr;
    core.TakeBuffersBack(kEvery, where);
    RestRegisters(core);
}

namespace {

/// Takes the records of `count` buffers; returns the first.
TBufType* TakeRecords(PipeState& state, uint32_t count, const char* kind) {
    if (state.bufferCount + count > kMaxBuffers) {
        Fail("T108", "too many buffers: InitBuffer of %u more %s buffers, %u of %u are taken",
             count, kind, state.bufferCount, kMaxBuffers);
    }
    TBufType* const first = &state.buffers[state.bufferCount];
    state.bufferCount += count;
    return first;
}

void RecordBuffers(Core& core, uint32_t count) {
    Issue issue(Opcode::InitBuffer, core);
    issue.Work(1, count);
    issue.Done();
}

}  // namespace

TBufType* PipePlace(PipeState& state, AscendC::TPosition position, const BufferPlace* places,
                    uint32_t count, const char* kind, int16_t* queueId, Location where) {
    Core& core = Self();
    core.Begin(where.line == 0 ? core.where : where);
    const Memory memory = MemoryOf(static_cast<uint8_t>(position));
    TBufType* const first = TakeRecords(state, count, kind);
    for (uint32_t i = 0; i < count; ++i) {
        CheckBuffers(1, places[i].bytes, kind);
        PlaceBuffer(first + i, places[i].bytes, places[i].address, i, kind, queueId, memory);
    }
    RecordBuffers(core, count);
    return first;
}

TBufType* PipeAllocate(PipeState& state, AscendC::TPosition position, uint32_t count,
                       uint32_t bytes, const char* kind, bool together, int16_t* queueId,
                       Location where) {
    Core& core = Self();
    core.Begin(where);
    CheckBuffers(count, bytes, kind);
    TBufType* const first = TakeRecords(state, count, kind);
    const Memory memory = MemoryOf(static_cast<uint8_t>(position));
    const auto index = static_cast<size_t>(memory);
    const bool tscm = position == AscendC::TPosition::TSCM;
    // TSCM belongs to Matmul, so its buffers end before the bytes of the Matmul server.
    const bool shared = tscm || (memory == Memory::L1 && state.tscmBytes != 0);
    const uint64_t size = shared ? core.launch->LibraryL1() : core.memoryBytes[index];
    // Both vector cores of a block allocate their TSCM in the L1 of the same cube core.
    const uint32_t parts = tscm && !together ? core.taskRation : 1;
    const uint64_t length = RoundToBlocks(bytes) * count;
    uint32_t& next = state.nextAddress[index];
    const uint64_t taken = next + (memory == Memory::L1 ? state.tscmBytes : 0);
    if (taken + parts * length > size) {
        // A negative length of the kernel must not appear as about 4 GiB in the message.
        const auto given = bytes > INT32_MAX ? static_cast<int32_t>(bytes) : int64_t{bytes};
        Fail("T106",
             "%s full: InitBuffer of %u %s buffers of %lld B ends at 0x%llx > 0x%llx (%llu B on "
             "%s), "
             "%u B are taken%s"
             "\n  try: smaller tiles or fewer buffers",
             Name(memory), count, kind, static_cast<long long>(given),
             static_cast<unsigned long long>(taken + parts * length),
             static_cast<unsigned long long>(size), static_cast<unsigned long long>(size),
             core.soc->name, static_cast<uint32_t>(taken),
             DrawAccess(core, memory, next, parts * length, size - taken).text);
    }
    // TSCM buffers come from the end of L1, so that other queues keep their addresses.
    const uint64_t own = (parts - (parts > 1 ? core.subBlockIdx : 0)) * length;
    const uint64_t begin = tscm ? size - state.tscmBytes - own : next;
    *queueId = PlaceBuffers(first, count, bytes, static_cast<uint32_t>(begin), kind, memory);
    (tscm ? state.tscmBytes : next) += static_cast<uint32_t>(parts * length);
    RecordBuffers(core, count);
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
    const Memory memory = MemoryOf(address.logicPos);
    const uint64_t size = core.memoryBytes[static_cast<size_t>(memory)];
    if (memory == Memory::Gm || offset < 0 ||
        uint64_t{address.bufferAddr} + address.dataLen > size) {
        Fail("T103",
             "%s out of bounds: GetAbsAddr of %d B at %d, expected a part of the position's %llu "
             "B%s",
             Name(memory), bytes, offset, static_cast<unsigned long long>(size),
             memory == Memory::Gm || offset < 0 || bytes < 0
                 ? ""
                 : DrawAccess(core, memory, address.bufferAddr, address.dataLen,
                              size - std::min<uint64_t>(size, address.bufferAddr))
                       .text);
    }
    uint8_t* const start = core.memory[static_cast<size_t>(memory)];
    address.absAddr = start == nullptr ? nullptr : start + address.bufferAddr;
    return address;
}

AscendC::TBuffAddr StackBuffer(AscendC::TPosition position, Location where) {
    Core& core = Self();
    core.Begin(where);
    if (core.pipe == nullptr) {
        Fail("T222",
             "no TPipe: PopStackBuffer takes what the core's TPipe has left, and there is "
             "none\n  try: declare a TPipe first");
    }
    const uint64_t end = core.UbBytes() - kMatmulMessageBytes;
    const uint32_t start = PipeEndAddress(*GetTPipePtr(), Memory::Ub);
    if (start >= end) {
        Fail("T106", "UB full: PopStackBuffer finds nothing left behind 0x%x%s", start,
             DrawAccess(core, Memory::Ub, start, kBlockBytes, 0).text);
    }
    AscendC::TBuffAddr address;
    address.logicPos = static_cast<uint8_t>(position);
    address.bufferAddr = start;
    address.dataLen = static_cast<uint32_t>(end - start);
    address.absAddr = core.memory[static_cast<size_t>(Memory::Ub)] + start;
    return address;
}

}  // namespace twin
