// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/pipe/tpipe.h"

namespace AscendC {

constexpr uint32_t defaultBufIDSize = 4;

template <uint32_t bufIDSize = defaultBufIDSize>
struct TBufPoolImpl : twin::PoolState {
    TBufType buf_[bufIDSize];
};

/// A part of local memory that can be allocated again after Reset. InitBufPool gives the pool its
/// memory. Two pools may share memory if only one of them is in use.
template <TPosition pos, uint32_t bufIDSize = defaultBufIDSize>
class TBufPool {
    static_assert(GetPhyType(pos) == Hardware::UB,
                  "TBufPool: this twin models VECIN, VECOUT and VECCALC");
    static_assert(bufIDSize <= QBUFPOOL_MAX_LEN, "TBufPool: at most 16 buffers");

public:
    static constexpr TPosition poolPos = pos;
    static constexpr bool isTbufPool = true;

    TBufPool() = default;
    ~TBufPool() { Reset(twin::Location()); }
    TBufPool(const TBufPool&) = delete;
    TBufPool& operator=(const TBufPool&) = delete;

    template <class T>
    bool InitBuffer(T& que, twin::Narrow8 num, uint32_t len, TWIN_HERE) {
        twin::CheckQueueConfig(T::config, num, len);
        int16_t id = -1;
        TBufType* first = twin::PoolAllocate(tBufPoolImpl, tBufPoolImpl.buf_, bufIDSize, num, len,
                                             T::kTraits.name, &id, here);
        que.Attach(first, num, len, id);
        return true;
    }
    template <TPosition bufPos>
    bool InitBuffer(TBuf<bufPos>& buf, uint32_t len, TWIN_HERE) {
        int16_t id = -1;
        TBufType* buffer = twin::PoolAllocate(tBufPoolImpl, tBufPoolImpl.buf_, bufIDSize, 1, len,
                                              "TBuf", &id, here);
        buf.Attach(buffer, buffer->dataLen);
        return true;
    }
    template <class T>
    bool InitBufPool(T& bufPool, uint32_t len, TWIN_HERE) {
        static_assert(T::isTbufPool, "InitBufPool takes a TBufPool");
        twin::PoolSplit(tBufPoolImpl, bufPool.tBufPoolImpl, len, here);
        return true;
    }
    template <class T, class U>
    bool InitBufPool(T& bufPool, uint32_t len, U& shareBuf, TWIN_HERE) {
        static_assert(T::isTbufPool && U::isTbufPool, "InitBufPool takes TBufPools");
        twin::PoolShare(bufPool.tBufPoolImpl, shareBuf.tBufPoolImpl, len, here);
        return true;
    }
    /// Takes back the pool's buffers and its memory. Call InitBufPool before the next InitBuffer.
    void Reset(TWIN_HERE) { twin::PoolReset(tBufPoolImpl, tBufPoolImpl.buf_, here); }

protected:
    TBufPoolImpl<bufIDSize> tBufPoolImpl;

private:
    friend class TPipe;
    template <TPosition otherPos, uint32_t otherSize>
    friend class TBufPool;
};

}  // namespace AscendC

/// Defines the members of a kernel's own pool class, except InitBuffer, which the kernel writes.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                               \
public:                                                                                      \
    static constexpr AscendC::TPosition poolPos = POSITION;                                  \
    static constexpr int bufIDSize = BUFID_SIZE;                                             \
    static constexpr bool isTbufPool = true;                                                 \
    ~EXT_BUFPOOL() { Reset(); }                                                              \
    void Reset() { ::twin::PoolReset(tBufPoolImpl, tBufPoolImpl.buf_, ::twin::Location()); } \
    void Init() { static_cast<::twin::PoolState&>(tBufPoolImpl) = ::twin::PoolState(); }     \
    AscendC::TBufHandle GetBufHandle(uint8_t offset) {                                       \
        return reinterpret_cast<AscendC::TBufHandle>(tBufPoolImpl.buf_ + offset);            \
    }                                                                                        \
    void SetCurAddr(uint32_t curAddr) { tBufPoolImpl.maxAddr_ = curAddr; }                   \
    uint32_t GetCurAddr() { return tBufPoolImpl.maxAddr_; }                                  \
    void SetCurBufSize(uint8_t curBufSize) { tBufPoolImpl.curBufSize_ = curBufSize; }        \
    uint8_t GetCurBufSize() { return tBufPoolImpl.curBufSize_; }                             \
                                                                                             \
protected:                                                                                   \
    AscendC::TBufPoolImpl<bufIDSize> tBufPoolImpl;                                           \
                                                                                             \
private:                                                                                     \
    friend class AscendC::TPipe;                                                             \
    template <AscendC::TPosition pos, uint32_t size>                                         \
    friend class AscendC::TBufPool
