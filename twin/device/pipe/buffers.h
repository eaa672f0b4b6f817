// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_PIPE_BUFFERS_H
#define TWIN_DEVICE_PIPE_BUFFERS_H

#include "device/pipe/queue.h"

namespace twin {

constexpr uint64_t RoundToBlocks(uint64_t bytes) {
    return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

/// Fails if there are no buffers or buffers without bytes.
void CheckBuffers(uint32_t count, uint32_t bytes, const char* kind);
/// Places `count` free buffers one after the other and registers them as one queue, whose number it
/// returns.
int16_t PlaceBuffers(AscendC::TBufType* first, uint32_t count, uint32_t bytes, uint32_t address,
                     const char* kind, Memory memory = Memory::Ub);
/// Places one buffer of queue `*queueId`; if that is -1, the queue gets a number.
TWIN_API void PlaceBuffer(AscendC::TBufType* buffer, uint32_t bytes, uint32_t address,
                          uint32_t slot, const char* kind, int16_t* queueId,
                          Memory memory = Memory::Ub);
/// Fails: `bytes` at byte `offset` are not inside the `size` bytes of a TBuf.
[[noreturn]] TWIN_API void RefuseGet(const AscendC::TBufType& buffer, AscendC::TPosition position,
                                     uint64_t bytes, uint64_t offset, uint32_t size);
/// Waits for the pending free events of `count` buffers.
void DrainBuffers(AscendC::TBufType* first, uint32_t count, QueueEvent cause, Location where);

/// The allocations of a buffer pool; the names are those that extended pools use.
struct PoolState {
    uint32_t startAddr_ = 0;
    uint32_t maxAddr_ = 0;  ///< start of the next buffer
    uint32_t maxLen_ = 0;   ///< 0: InitBufPool has not set the memory, or Reset has taken it back
    uint8_t curBufSize_ = 0;
    uint8_t isReset_ = 1;
};

TWIN_API AscendC::TBufType* PoolAllocate(PoolState& pool, AscendC::TBufType* records,
                                         uint32_t capacity, uint32_t count, uint32_t bytes,
                                         const char* kind, int16_t* queueId, Location where);
/// Waits for pending events and takes back the pool's buffers and memory.
TWIN_API void PoolReset(PoolState& pool, AscendC::TBufType* records, Location where);
/// A part of `parent` becomes the memory of `pool`.
TWIN_API void PoolSplit(PoolState& parent, PoolState& pool, uint32_t bytes, Location where);
/// `pool` gets the memory of `other`.
TWIN_API void PoolShare(PoolState& pool, const PoolState& other, uint32_t bytes, Location where);

}  // namespace twin

#endif  // TWIN_DEVICE_PIPE_BUFFERS_H
