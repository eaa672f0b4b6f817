// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_PIPE_TBUF_H
#define TWIN_DEVICE_PIPE_TBUF_H

#include "device/pipe/queue.h"

namespace AscendC {

class TPipe;

/// A buffer without a queue and without events.
template <TPosition pos = TPosition::LCM>
class TBuf {
    static_assert(GetPhyType(pos) == Hardware::UB,
                  "TBuf: this twin models VECIN, VECOUT and VECCALC");

public:
    template <typename T>
    LocalTensor<T> Get(TWIN_HERE) {
        return View<T>(bytes_, 0, here);
    }
    /// The first `len` elements.
    template <typename T>
    LocalTensor<T> Get(uint32_t len, TWIN_HERE) {
        return View<T>(static_cast<uint64_t>(len) * sizeof(T), 0, here);
    }
    /// `size` elements from byte `bufOffset`.
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset, TWIN_HERE) {
        return View<T>(static_cast<uint64_t>(size) * sizeof(T), bufOffset, here);
    }

private:
    friend class TPipe;

    template <typename T>
    LocalTensor<T> View(uint64_t bytes, uint64_t offset, twin::Location here) {
        twin::Self().Begin(here);
        if (buffer_ == nullptr) {
            twin::Fail("T208",
                       "buffer without memory: TBuf::Get before InitBuffer\n  try: "
                       "pipe.InitBuffer(buf, bytes)");
        }
        if (offset + bytes > bytes_) {
            twin::Fail("T107",
                       "tensor too small: TBuf::Get of %llu B at byte %llu of a buffer of %u B",
                       static_cast<unsigned long long>(bytes),
                       static_cast<unsigned long long>(offset), bytes_);
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
