// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/pipe/queue_events.h"
#include "device/pipe/tbuf.h"

namespace AscendC {

class TPipe;

/// A queue of buffers between two positions. `depth` is the largest number of enqueued tensors.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
    static_assert(twin::QueueRouteOf(src, dst).enQue != HardEvent::MAX,
                  "TQue/TQueBind: A2 and A3 have no way between the memories of these positions");
    static_assert(depth >= 0, "TQue/TQueBind: depth is the number of consecutive EnQue calls");

public:
    TQueBind() = default;

    template <typename T>
    LocalTensor<T> AllocTensor(TWIN_HERE) {
        return ToTensor<T>(twin::QueueAlloc(state_, kTraits, here));
    }
    template <typename T>
    void FreeTensor(LocalTensor<T>& tensor, TWIN_HERE) {
        twin::QueueFree(state_, kTraits, ToBuffer(tensor), here);
    }
    template <typename T>
    bool EnQue(const LocalTensor<T>& tensor, TWIN_HERE) {
        twin::QueueEnQue(state_, kTraits, ring_, ToBuffer(tensor), kTraits.enQueEvent, here);
        return true;
    }
    template <TPosition srcUserPos, TPosition dstUserPos, typename T>
    bool EnQue(const LocalTensor<T>& tensor, TWIN_HERE) {
        CheckUserPositions<srcUserPos, dstUserPos>();
        twin::QueueEnQue(state_, kTraits, ring_, ToBuffer(tensor),
                         twin::UserEvent(srcUserPos, dstUserPos), here);
        return true;
    }
    template <typename T>
    LocalTensor<T> DeQue(TWIN_HERE) {
        return ToTensor<T>(twin::QueueDeQue(state_, kTraits, ring_, kTraits.enQueEvent, here));
    }
    template <TPosition srcUserPos, TPosition dstUserPos, typename T>
    LocalTensor<T> DeQue(TWIN_HERE) {
        CheckUserPositions<srcUserPos, dstUserPos>();
        return ToTensor<T>(twin::QueueDeQue(state_, kTraits, ring_,
                                            twin::UserEvent(srcUserPos, dstUserPos), here));
    }

    /// These functions take a handle, which identifies a buffer without an element type.
    bool EnQue(TBufHandle buf, TWIN_HERE) {
        twin::QueueEnQue(state_, kTraits, ring_, reinterpret_cast<TBufType*>(buf),
                         kTraits.enQueEvent, here);
        return true;
    }
    TBufHandle DeQue(TWIN_HERE) {
        return reinterpret_cast<TBufHandle>(
            twin::QueueDeQue(state_, kTraits, ring_, kTraits.enQueEvent, here));
    }
    void FreeBuffer(TBufHandle buf, TWIN_HERE) {
        twin::QueueFree(state_, kTraits, reinterpret_cast<TBufType*>(buf), here);
    }
    TBuffAddr GetBufferAddr(TBufHandle buf) {
        return twin::BufferAddress(reinterpret_cast<TBufType*>(buf), kPosition);
    }
    /// These overloads (newer than CANN 8.1) return the tensor in `tensor`. With depth 0, the
    /// caller of DeQue passes the enqueued tensor, because the queue stores no list of tensors.
    template <typename T>
    void AllocTensor(LocalTensor<T>& tensor, TWIN_HERE) {
        tensor = AllocTensor<T>(here);
    }
    template <typename T>
    void DeQue(LocalTensor<T>& tensor, TWIN_HERE) {
        if constexpr (depth == 0) {
            twin::QueueDeQueInPlace(state_, kTraits, ToBuffer(tensor), kTraits.enQueEvent, here);
        } else {
            tensor = DeQue<T>(here);
        }
    }
    /// These functions are for pool classes that a kernel defines: see EXTERN_IMPL_BUFPOOL.
    void InitStartBufHandle(TBufHandle startBufhandle, uint8_t num, uint32_t len) {
        state_ = twin::QueueState();
        state_.first = reinterpret_cast<TBufType*>(startBufhandle);
        state_.bufferCount = num;
        state_.bufferBytes = len;
    }
    template <typename T>
    void InitBufHandle(T* bufPool, uint32_t index, TBufHandle bufhandle, uint32_t curPoolAddr,
                       uint32_t len, TWIN_HERE) {
        (void)bufPool;
        twin::Self().Begin(here);
        twin::PlaceBuffer(reinterpret_cast<TBufType*>(bufhandle), len, curPoolAddr, index,
                          kTraits.name, &state_.id);
    }

    bool VacantInQue() const { return state_.used < depth; }
    bool HasTensorInQue() const { return state_.used != 0; }
    int32_t GetTensorCountInQue() const { return state_.used; }
    bool HasIdleBuffer() const { return twin::QueueHasIdle(state_); }
    void FreeAllEvent(TWIN_HERE) { twin::QueueDrain(state_, here); }
    template <typename T>
    TBufState GetState(const LocalTensor<T>& tensor) const {
        return tensor.GetBufferHandle() == nullptr ? TBufState::FREE : ToBuffer(tensor)->state;
    }

protected:
    friend class TPipe;
    template <TPosition pos, uint32_t bufIDSize>
    friend class TBufPool;

    static constexpr TQueConfig config = GetTQueConfig(mask);
    static_assert(
        !config.enableLoopQueue,
        "TQueConfig::enableLoopQueue: queues that pass one buffer around are not modelled");
    static constexpr TPosition kPosition = twin::BufferPosition(src, dst);
    static constexpr twin::QueueTraits kTraits = {
        twin::QueueName(src, dst), kPosition, twin::QueueRouteOf(src, dst).enQue,
        twin::QueueRouteOf(src, dst).free, static_cast<uint16_t>(depth)};

    template <TPosition from, TPosition to>
    static constexpr void CheckUserPositions() {
        static_assert(twin::UserEvent(from, to) != HardEvent::MAX,
                      "EnQue/DeQue: A2 and A3 have no way between the memories of these positions");
    }
    template <typename T>
    static TBufType* ToBuffer(const LocalTensor<T>& tensor) {
        return reinterpret_cast<TBufType*>(tensor.GetBufferHandle());
    }
    template <typename T>
    static LocalTensor<T> ToTensor(TBufType* buffer) {
        LocalTensor<T> tensor;
        tensor.SetAddr(twin::BufferAddress(buffer, kPosition));
        return tensor;
    }

    /// Gives the queue its buffers, which a TPipe or a pool has allocated.
    void Attach(TBufType* first, uint8_t count, uint32_t bytes, int16_t id) {
        state_ = twin::QueueState();
        state_.first = first;
        state_.bufferCount = count;
        state_.bufferBytes = bytes;
        state_.id = id;
    }

    twin::QueueState state_;
    TBufType* ring_[depth > 0 ? depth : 1] = {};
};

/// A queue at one position. VECIN carries data from GM to UB, VECOUT from UB to GM, A1 and B1 from
/// GM to L1, A2 from L1 to L0A, B2 from L1 to L0B, and CO1 from L0C to GM. VECCALC is for a TBuf; a
/// queue there has the events of a queue from UB to UB.
template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<twin::QueueSource(pos), twin::QueueDestination(pos), depth, mask> {
    static_assert(pos != TPosition::GM && pos < TPosition::MAX && pos != TPosition::SPM &&
                      pos != TPosition::CO2 && pos != TPosition::TSCM,
                  "TQue takes VECIN, VECOUT, VECCALC, A1, B1, C1, A2, B2, C2, CO1 and C2PIPE2GM on "
                  "A2 and A3 (TSCM has a type of its own)");
};

/// A queue into L1 for data that a Matmul object reads.
template <TPosition pos, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

}  // namespace AscendC
