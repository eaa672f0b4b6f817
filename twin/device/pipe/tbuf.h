// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/core.h"
#include "device/pipe/queue.h"

namespace twin {

constexpr uint64_t RoundToBlocks(uint64_t bytes) {
    return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

/// Fails in strict mode if `count` or `bytes` is 0 (T108).
void CheckBuffers(uint32_t count, uint32_t bytes, const char* kind);
/// Places `count` buffers one after the other from `address` on, and registers them as one queue.
/// Returns the queue's number.
int16_t PlaceBuffers(AscendC::TBufType* first, uint32_t count, uint32_t bytes, uint32_t address,
                     const char* kind, Memory memory = Memory::Ub);
/// Places one buffer of queue `*queueId`. If `*queueId` is -1, first sets it to a new number.
TWIN_API void PlaceBuffer(AscendC::TBufType* buffer, uint32_t bytes, uint32_t address,
                          uint32_t slot, const char* kind, int16_t* queueId,
                          Memory memory = Memory::Ub);
/// Reports T107: `bytes` bytes at byte `offset` do not fit into a TBuf of `size` bytes.
[[noreturn]] TWIN_API void RefuseGet(const AscendC::TBufType& buffer, AscendC::TPosition position,
                                     uint64_t bytes, uint64_t offset, uint32_t size);
/// Waits for the pending free events of `count` buffers.
void DrainBuffers(AscendC::TBufType* first, uint32_t count, QueueEvent cause, Location where);

/// The allocations of a buffer pool. Pool classes that a kernel defines use these member names.
struct PoolState {
    uint32_t startAddr_ = 0;
    uint32_t maxAddr_ = 0;  ///< address of the next buffer
    uint32_t maxLen_ = 0;   ///< size of the memory in bytes; 0 before InitBufPool and after Reset
    uint8_t curBufSize_ = 0;
    uint8_t isReset_ = 1;
};

TWIN_API AscendC::TBufType* PoolAllocate(PoolState& pool, AscendC::TBufType* records,
                                         uint32_t capacity, uint32_t count, uint32_t bytes,
                                         const char* kind, int16_t* queueId, Location where);
/// Waits for pending events and takes back the pool's buffers and memory.
TWIN_API void PoolReset(PoolState& pool, AscendC::TBufType* records, Location where);
/// Allocates `bytes` bytes of the memory of `parent` for `pool`.
TWIN_API void PoolSplit(PoolState& parent, PoolState& pool, uint32_t bytes, Location where);
/// Makes `pool` use the memory of `other`. Both pools then share this memory.
TWIN_API void PoolShare(PoolState& pool, const PoolState& other, uint32_t bytes, Location where);

/// Sets a core's default state: copies to GM overwrite, the mask is full and in normal mode, and
/// image-to-column loads pad with 0 and have no boundary.
void RestRegisters(Core& core);
TWIN_API void InitSocState(Location where);

}  // namespace twin

namespace AscendC {

/// Resets the registers as a new TPipe does, for kernels without a TPipe. The control register is
/// not changed. This function is newer than CANN 8.1.
inline void InitSocState(TWIN_HERE) { twin::InitSocState(here); }

class TPipe;

/// A buffer without a queue and without events.
template <TPosition pos = TPosition::LCM>
class TBuf {
public:
    template <typename T>
    LocalTensor<T> Get(TWIN_HERE) {
        return View<T>(bytes_, 0, here);
    }
    /// Returns a tensor of the first `len` elements.
    template <typename T>
    LocalTensor<T> Get(uint32_t len, TWIN_HERE) {
        return View<T>(twin::BytesOf<T>(len), 0, here);
    }
    /// Returns a tensor of `size` elements from byte `bufOffset` on.
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset, TWIN_HERE) {
        return View<T>(twin::BytesOf<T>(size), bufOffset, here);
    }

    // TBuf has these functions like a queue, but it has no events. EnQue and FreeTensor do nothing.
    template <typename T>
    void EnQue(const LocalTensor<T>& tensor) {
        (void)tensor;
    }
    bool EnQue(TBufHandle buf) {
        (void)buf;
        return true;
    }
    template <typename T>
    LocalTensor<T> DeQue(TWIN_HERE) {
        return Get<T>(here);
    }
    TBufHandle DeQue() { return reinterpret_cast<TBufHandle>(buffer_); }
    template <typename T>
    LocalTensor<T> AllocTensor(TWIN_HERE) {
        return Get<T>(here);
    }
    template <typename T>
    void FreeTensor(LocalTensor<T>& tensor) {
        (void)tensor;
    }
    void FreeBuffer(TBufHandle buf) { (void)buf; }
    template <typename T>
    TBufState GetState(const LocalTensor<T>& tensor) const {
        const auto* buffer = reinterpret_cast<TBufType*>(tensor.GetBufferHandle());
        return buffer == nullptr ? TBufState::FREE : buffer->state;
    }
    TBuffAddr GetBufferAddr(TBufHandle buf) {
        return twin::BufferAddress(reinterpret_cast<TBufType*>(buf), pos);
    }
    void InitStartBufHandle(TBufHandle startBufhandle, uint8_t num, uint32_t len) {
        (void)num;
        Attach(reinterpret_cast<TBufType*>(startBufhandle), len);
    }
    template <typename T>
    void InitBufHandle(T* bufPool, uint32_t index, TBufHandle bufhandle, uint32_t curPoolAddr,
                       uint32_t len, TWIN_HERE) {
        (void)bufPool;
        twin::Self().Begin(here);
        int16_t id = -1;
        twin::PlaceBuffer(reinterpret_cast<TBufType*>(bufhandle), len, curPoolAddr, index, "TBuf",
                          &id);
    }

private:
    friend class TPipe;
    template <TPosition poolPos, uint32_t bufIDSize>
    friend class TBufPool;
    template <TPosition bufPos>
    friend bool PopStackBuffer(TBuf<bufPos>& popBuffer, TBufType& bufStart, twin::Location here);

    void Attach(TBufType* buffer, uint32_t bytes) {
        buffer_ = buffer;
        bytes_ = bytes;
    }

    template <typename T>
    LocalTensor<T> View(uint64_t bytes, uint64_t offset, twin::Location here) {
        twin::Self().Begin(here);
        if (buffer_ == nullptr) {
            twin::Fail("T208",
                       "buffer without memory: TBuf::Get before InitBuffer\n  try: "
                       "pipe.InitBuffer(buf, bytes)");
        }
        if (offset + bytes > bytes_ && twin::Self().strict) {
            twin::RefuseGet(*buffer_, pos, bytes, offset, bytes_);
        }
        TBuffAddr address = twin::BufferAddress(buffer_, pos);
        address.bufferAddr += static_cast<uint32_t>(offset);
        address.dataLen = static_cast<uint32_t>(bytes);
        LocalTensor<T> tensor;
        tensor.SetAddr(address);
        return tensor;
    }

    TBufType* buffer_ = nullptr;
    uint32_t bytes_ = 0;
};

}  // namespace AscendC
