// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/pipe/pipe_state.h"
#include "device/pipe/tbuf.h"
#include "device/pipe/tque.h"
#include "device/sync/events.h"
#include "device/types/parameters.h"
#include "device/types/std.h"

namespace AscendC {

struct DataCopyParams;
template <typename T>
class GlobalTensor;

/// Allocates a core's local memory, from address 0 upwards, and its event ids.
class TPipe : public twin::MemoryOwner {
public:
    explicit TPipe(TWIN_HERE) { twin::PipeStart(state_, this, here); }
    ~TPipe() { Destroy(twin::Location()); }
    /// Copies the state of the other TPipe, which must have been destroyed or have no buffers
    /// (T223).
    TPipe(const TPipe& other) : MemoryOwner() { twin::PipeCopy(state_, other.state_); }
    /// Copies the state of the other TPipe; neither of the two may have buffers (T223).
    TPipe& operator=(const TPipe& other) {
        twin::PipeTakeOver(state_, other.state_);
        return *this;
    }

    void Init(TWIN_HERE) { twin::PipeStart(state_, this, here); }
    /// Waits for pending events and for all pipes, as the destructor does.
    void Destroy(TWIN_HERE) { twin::PipeEnd(state_, this, here); }
    /// As Destroy, but the kernel itself waits for the pipes; newer than CANN 8.1.
    void DestroyWithoutPipeAll(TWIN_HERE) { twin::PipeEndWithoutBarrier(state_, this, here); }
    /// Waits for pending events, takes all buffers back and resets the registers.
    void Reset(TWIN_HERE) { twin::PipeReset(state_, here); }

    /// Allocates `num` buffers of `len` bytes each for a queue.
    template <class T>
    bool InitBuffer(T& que, twin::Narrow8 num, uint32_t len, TWIN_HERE) {
        twin::CheckQueueConfig(T::config, num, len);
        int16_t id = -1;
        TBufType* first = twin::PipeAllocate(state_, T::kPosition, num, len, T::kTraits.name,
                                             T::config.scmBlockGroup, &id, here);
        que.Attach(first, num, len, id);
        return true;
    }
    /// Gives a queue one buffer for each tuple of address and length, in bytes. Later calls without
    /// addresses do not know of these buffers. The call is newer than CANN 8.1.
    template <class T, class U, class V, class... Addrs>
    bool InitBuffer(T& que, const Std::tuple<U, V>& addr0, const Addrs&... addrs) {
        static_assert(T::kPosition != TPosition::TSCM, "InitBuffer with addresses: not for TSCM");
        const twin::BufferPlace places[] = {PlaceOf(addr0), PlaceOf(addrs)...};
        constexpr uint32_t count = sizeof...(addrs) + 1;
        twin::CheckQueueConfig(T::config, count, places[0].bytes);
        int16_t id = -1;
        TBufType* first = twin::PipePlace(state_, T::kPosition, places, count, T::kTraits.name, &id,
                                          twin::Location());
        que.Attach(first, count, places[0].bytes, id);
        return true;
    }
    template <TPosition pos>
    bool InitBuffer(TBuf<pos>& buf, uint32_t len, TWIN_HERE) {
        // TBuf itself accepts every position, because a class may have an unused member TBuf<GM>.
        static_assert(GetPhyType(pos) != Hardware::GM, "TBuf: the position has no local memory");
        // Only queues have TSCM at the end of L1; a TBuf has the next free bytes of its memory.
        constexpr TPosition place = pos == TPosition::TSCM ? TPosition::A1 : pos;
        int16_t id = -1;
        TBufType* buffer = twin::PipeAllocate(state_, place, 1, len, "TBuf", false, &id, here);
        buf.Attach(buffer, buffer->dataLen);
        return true;
    }
    /// Gives a pool `len` bytes of UB or, with `shareBuf`, the memory of another pool.
    template <class T>
    bool InitBufPool(T& bufPool, uint32_t len, TWIN_HERE) {
        static_assert(T::isTbufPool, "InitBufPool takes a TBufPool");
        static_assert(GetPhyType(T::poolPos) == Hardware::UB,
                      "TBufPool: pools in UB are modelled, pools in L1 are not");
        uint32_t& next = state_.nextAddress[static_cast<size_t>(twin::Memory::Ub)];
        twin::PoolState all;
        all.maxAddr_ = next;
        all.maxLen_ = static_cast<uint32_t>(twin::Self().UbBytes());
        twin::PoolSplit(all, bufPool.tBufPoolImpl, len, here);
        next = all.maxAddr_;
        return true;
    }
    template <class T, class U>
    bool InitBufPool(T& bufPool, uint32_t len, U& shareBuf, TWIN_HERE) {
        static_assert(T::isTbufPool && U::isTbufPool, "InitBufPool takes TBufPools");
        twin::PoolShare(bufPool.tBufPoolImpl, shareBuf.tBufPoolImpl, len, here);
        return true;
    }

    template <HardEvent evt>
    TEventID AllocEventID(TWIN_HERE) {
        return twin::ReserveEvent(evt, here);
    }
    template <HardEvent evt>
    void ReleaseEventID(TEventID id, TWIN_HERE) {
        twin::ReleaseEvent(evt, id, here);
    }
    /// Returns the lowest free event id without reserving it.
    template <HardEvent evt>
    TEventID FetchEventID(TWIN_HERE) {
        return twin::PeekEvent(evt, here);
    }
    TEventID FetchEventID(HardEvent evt, TWIN_HERE) { return twin::PeekEvent(evt, here); }

    /// Returns a tensor of `size` elements at byte `offset` of the position's memory.
    template <TPosition pos, typename T>
    LocalTensor<T> GetAbsAddr(int32_t offset, int32_t size, TWIN_HERE) const {
        LocalTensor<T> tensor;
        tensor.SetAddr(
            twin::AbsoluteAddress(pos, offset, static_cast<int32_t>(twin::BytesOf<T>(size)), here));
        return tensor;
    }
    template <TPosition pos>
    TBuffAddr GetAbsAddr(int32_t offset, int32_t len, TWIN_HERE) const {
        return twin::AbsoluteAddress(pos, offset, len, here);
    }
    template <typename T>
    uint64_t GetAbsAddr(const LocalTensor<T>& tensor) {
        return tensor.address_.bufferAddr;
    }
    uint8_t* GetBaseAddr(int8_t logicPos) {
        return twin::AbsoluteAddress(static_cast<TPosition>(logicPos), 0, 0, twin::Location::Here())
            .absAddr;
    }

    // These functions spill local tensors to a workspace in global memory; spm.h defines them.
    template <typename T>
    void InitSpmBuffer(const GlobalTensor<T>& workspace, const int32_t bufferSize, TWIN_HERE);
    template <typename T>
    void WriteSpmBuffer(const LocalTensor<T>& writeLocal, const DataCopyParams& copyParams,
                        int32_t writeOffset = 0, TWIN_HERE);
    template <typename T>
    void ReadSpmBuffer(const LocalTensor<T>& readLocal, const DataCopyParams& copyParams,
                       int32_t readOffset = 0, TWIN_HERE);
    template <typename T>
    void WriteSpmBuffer(const LocalTensor<T>& writeLocal, const int32_t writeSize,
                        int32_t writeOffset = 0, TWIN_HERE);
    template <typename T>
    void ReadSpmBuffer(const LocalTensor<T>& readLocal, const int32_t readSize,
                       int32_t readOffset = 0, TWIN_HERE);

private:
    template <typename U, typename V>
    static twin::BufferPlace PlaceOf(const Std::tuple<U, V>& place) {
        return {static_cast<uint32_t>(Std::get<0>(place)),
                static_cast<uint32_t>(Std::get<1>(place))};
    }

    friend uint32_t twin::PipeEndAddress(const TPipe& pipe, twin::Memory memory);
    friend uint32_t twin::PipeTscmBytes(const TPipe& pipe);
    friend class twin::SharedMemory;

    twin::PipeState state_;
};

}  // namespace AscendC

inline uint32_t twin::PipeEndAddress(const AscendC::TPipe& pipe, Memory memory) {
    return pipe.state_.nextAddress[static_cast<size_t>(memory)];
}
inline uint32_t twin::PipeTscmBytes(const AscendC::TPipe& pipe) { return pipe.state_.tscmBytes; }

/// Returns the core's current TPipe; nullptr before the first one.
inline AscendC::TPipe* GetTPipePtr() { return static_cast<AscendC::TPipe*>(twin::Self().pipe); }
