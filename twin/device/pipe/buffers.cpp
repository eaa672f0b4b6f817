// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/core_state.h"
#include "core/memory_map.h"
#include "device/pipe/tbuf.h"
#include "device/sync/events.h"

namespace twin {

using AscendC::TBufType;

void CheckBuffers(uint32_t count, uint32_t bytes, const char* kind) {
    // Only strict mode reports an empty buffer, because the hardware does not check the size.
    if ((count == 0 || bytes == 0) && Self().strict) {
        Fail("T108",
             "empty buffer: InitBuffer of %u %s buffers of %u B, expected at least one of each",
             count, kind, bytes);
    }
}

void PlaceBuffer(TBufType* buffer, uint32_t bytes, uint32_t address, uint32_t slot,
                 const char* kind, int16_t* queueId, Memory memory) {
    Core& core = Self();
    if (*queueId < 0) {
        *queueId = core.nextQueue++;
    }
    *buffer = TBufType();
    buffer->address = address;
    buffer->dataLen = static_cast<uint32_t>(RoundToBlocks(bytes));
    // A kernel may run InitBuffer on both kinds of cores but use the buffer on one kind. So this
    // function checks the buffer's size, but not whether this kind of core has the memory.
    if (memory == Memory::Ub) {
        core.CheckFit(memory, address, buffer->dataLen, kBlockBytes, "InitBuffer", "buffer");
    }
    core.AddBuffer(BufferRecord{
        memory, address, buffer->dataLen, *queueId, static_cast<int16_t>(slot), kind, {}});
}

int16_t PlaceBuffers(TBufType* first, uint32_t count, uint32_t bytes, uint32_t address,
                     const char* kind, Memory memory) {
    int16_t queueId = -1;
    for (uint32_t i = 0; i < count; ++i) {
        PlaceBuffer(first + i, bytes, address, i, kind, &queueId, memory);
        address += first[i].dataLen;
    }
    return queueId;
}

void RefuseGet(const TBufType& buffer, AscendC::TPosition position, uint64_t bytes, uint64_t offset,
               uint32_t size) {
    const Memory memory = MemoryOf(static_cast<uint8_t>(position));
    Fail("T107",
         "tensor too small: TBuf::Get of %llu B at byte %llu of a buffer of %u B%s"
         "\n  try: a larger buffer in InitBuffer, or fewer elements",
         static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(offset), size,
         DrawAccess(Self(), memory, buffer.address + offset, bytes,
                    size - std::min<uint64_t>(offset, size))
             .text);
}

void DrainBuffers(TBufType* first, uint32_t count, QueueEvent cause, Location where) {
    for (TBufType* buffer = first; buffer < first + count; ++buffer) {
        if (buffer->freeBufEvtID != AscendC::INVALID_TEVENTID) {
            IssueWaitFlag(buffer->freeBufEvt, buffer->freeBufEvtID, cause, where);
            ReleaseEvent(buffer->freeBufEvt, buffer->freeBufEvtID, where);
            buffer->freeBufEvtID = AscendC::INVALID_TEVENTID;
        }
    }
}

namespace {

void RequireMemory(const PoolState& pool, const char* api) {
    if (pool.maxLen_ == 0) {
        Fail("T221",
             "pool without memory: %s on a TBufPool before InitBufPool or after Reset"
             "\n  try: pipe.InitBufPool(pool, bytes)",
             api);
    }
}

void RequireRoom(const PoolState& pool, uint64_t end, const char* api) {
    if (end > uint64_t{pool.startAddr_} + pool.maxLen_) {
        Fail("T221",
             "pool full: %s ends at 0x%llx, the pool covers 0x%x to 0x%x"
             "\n  try: a larger pool in InitBufPool, or smaller buffers",
             api, static_cast<unsigned long long>(end), pool.startAddr_,
             pool.startAddr_ + pool.maxLen_);
    }
}

}  // namespace

TBufType* PoolAllocate(PoolState& pool, TBufType* records, uint32_t capacity, uint32_t count,
                       uint32_t bytes, const char* kind, int16_t* queueId, Location where) {
    Self().Begin(where);
    CheckBuffers(count, bytes, kind);
    RequireMemory(pool, "InitBuffer");
    if (pool.curBufSize_ + count > capacity) {
        Fail("T221",
             "too many buffers: InitBuffer of %u more %s buffers, %u of the pool's %u are taken"
             "\n  try: a larger second template argument of TBufPool (at most %d)",
             count, kind, pool.curBufSize_, capacity, AscendC::QBUFPOOL_MAX_LEN);
    }
    const uint64_t end = pool.maxAddr_ + RoundToBlocks(bytes) * count;
    RequireRoom(pool, end, "InitBuffer");
    TBufType* first = records + pool.curBufSize_;
    *queueId = PlaceBuffers(first, count, bytes, pool.maxAddr_, kind);
    pool.curBufSize_ = static_cast<uint8_t>(pool.curBufSize_ + count);
    pool.maxAddr_ = static_cast<uint32_t>(end);
    pool.isReset_ = 0;
    return first;
}

void PoolReset(PoolState& pool, TBufType* records, Location where) {
    Core* core = SelfOrNull();
    if (core == nullptr) {
        return;
    }
    const Location place = where.line == 0 ? core->where : where;
    DrainBuffers(records, pool.curBufSize_, QueueEvent::Drain, place);
    const auto ours = [&](const BufferRecord& record) {
        return std::any_of(records, records + pool.curBufSize_, [&](const TBufType& buffer) {
            return record.memory == Memory::Ub && record.begin == buffer.address &&
                   record.bytes == buffer.dataLen;
        });
    };
    core->TakeBuffersBack(ours, place);
    pool = PoolState();
}

void PoolSplit(PoolState& parent, PoolState& pool, uint32_t bytes, Location where) {
    Self().Begin(where);
    CheckBuffers(1, bytes, "TBufPool");
    RequireMemory(parent, "InitBufPool");
    const uint64_t end = parent.maxAddr_ + RoundToBlocks(bytes);
    RequireRoom(parent, end, "InitBufPool");
    pool.startAddr_ = pool.maxAddr_ = parent.maxAddr_;
    pool.maxLen_ = static_cast<uint32_t>(RoundToBlocks(bytes));
    parent.maxAddr_ = static_cast<uint32_t>(end);
}

void PoolShare(PoolState& pool, const PoolState& other, uint32_t bytes, Location where) {
    Self().Begin(where);
    CheckBuffers(1, bytes, "TBufPool");
    RequireMemory(other, "InitBufPool with a shared pool");
    if (RoundToBlocks(bytes) > other.maxLen_) {
        Fail("T221", "pool full: InitBufPool of %u B shares the memory of a pool of %u B", bytes,
             other.maxLen_);
    }
    pool.startAddr_ = pool.maxAddr_ = other.startAddr_;
    pool.maxLen_ = other.maxLen_;
}

void RestRegisters(Core& core) {
    core.atomicOp = AtomicOp::None;
    core.mask = MaskState();
    core.state->cube.padValue = 0;
    core.state->cube.padValueKnown = true;
    core.state->cube.boundary = 0;
}

void InitSocState(Location where) {
    Core& core = Self();
    core.Begin(where);
    RestRegisters(core);
}

}  // namespace twin
