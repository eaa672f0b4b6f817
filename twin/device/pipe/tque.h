// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_PIPE_TQUE_H
#define TWIN_DEVICE_PIPE_TQUE_H

#include "device/pipe/buffers.h"
#include "device/pipe/queue_events.h"

namespace AscendC {

class TPipe;

/// A ring of buffers between two positions. Depth: how many tensors may be enqueued at once.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
    static_assert(twin::IsQueuePosition(src) && twin::IsQueuePosition(dst),
                  "TQue/TQueBind: this twin models GM, VECIN, VECOUT and VECCALC; the cube's "
                  "positions come later");
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

    /// The same on handles: buffers without a type.
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
    /// Into the caller's tensor; with depth 0 the only way out of the queue (newer than 8.1).
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
    /// For pools of the kernel's own, see EXTERN_IMPL_BUFPOOL.
    void InitStartBufHandle(TBufHandle startBufhandle, uint8_t num, uint32_t len) {
        state_ = twin::QueueState();
        state_.first = reinterpret_cast<TBufType*>(startBufhandle);
        state_.bufferCount = num;
        state_.bufferBytes = len;
    }
    template <typename T>
    void InitBufHandle(T* bufPool, uint32_t index, TBufHandle bufhandle, uint32_t curPoolAddr,
                       uint32_t len) {
        (void)bufPool;
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
    static constexpr TPosition kPosition = src == TPosition::GM ? dst : src;
    static constexpr twin::QueueTraits kTraits = {
        twin::QueueName(src, dst), kPosition, twin::EnQueEvent(src, dst), twin::FreeEvent(src, dst),
        static_cast<uint16_t>(depth)};

    template <TPosition from, TPosition to>
    static constexpr void CheckUserPositions() {
        static_assert(twin::IsQueuePosition(from) && twin::IsQueuePosition(to) &&
                          !(from == TPosition::GM && to == TPosition::GM),
                      "EnQue/DeQue take GM, VECIN, VECOUT and VECCALC, not GM on both sides");
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

    /// Takes over the buffers that a pipe or pool has placed.
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

/// A queue at one position: VECIN carries GM -> UB -> vector unit, VECOUT the way back.
template <TPosition pos, int32_t depth, auto mask = 0>
class TQue
    : public TQueBind<pos == TPosition::VECIN ? TPosition::GM : pos,
                      pos == TPosition::VECIN ? TPosition::VECIN : TPosition::GM, depth, mask> {
    static_assert(pos == TPosition::VECIN || pos == TPosition::VECOUT,
                  "TQue: this twin models VECIN and VECOUT (VECCALC is TBuf's; the cube's "
                  "positions come later)");
};

/// A queue into L1, which vector kernels do not have: TQueBind refuses it.
template <TPosition pos, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

}  // namespace AscendC

#endif  // TWIN_DEVICE_PIPE_TQUE_H
