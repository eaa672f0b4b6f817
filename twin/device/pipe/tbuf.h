// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_PIPE_TBUF_H
#define TWIN_DEVICE_PIPE_TBUF_H

#include "device/pipe/buffers.h"

namespace AscendC {

class TPipe;

/// A buffer without a queue and without events.
template <TPosition pos = TPosition::LCM>
class TBuf {
public:
    template <typename T>
    LocalTensor<T> Get(TWIN_HERE) {
        return View<T>(bytes_, 0, here);
    }
    /// The first `len` elements.
    template <typename T>
    LocalTensor<T> Get(uint32_t len, TWIN_HERE) {
        return View<T>(twin::BytesOf<T>(len), 0, here);
    }
    /// `size` elements from byte `bufOffset`.
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset, TWIN_HERE) {
        return View<T>(twin::BytesOf<T>(size), bufOffset, here);
    }

    // TBuf has the same members as queues, but there is nothing to order or free.
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

#endif  // TWIN_DEVICE_PIPE_TBUF_H
