// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_PIPE_TPIPE_H
#define TWIN_DEVICE_PIPE_TPIPE_H

#include "device/pipe/events.h"
#include "device/pipe/tbuf.h"
#include "device/pipe/tque.h"

namespace twin {

/// What one TPipe has handed out.
struct PipeState {
    AscendC::TBufType buffers[kMaxBuffers];
    uint32_t bufferCount = 0;
    uint32_t nextAddress = 0;
    bool alive = false;
};

TWIN_API void PipeStart(PipeState& state, AscendC::TPipe* pipe, Location where);
TWIN_API void PipeEnd(PipeState& state, AscendC::TPipe* pipe, Location where);
TWIN_API void PipeReset(PipeState& state, Location where);
/// `count` buffers of `bytes` each, rounded up to 32; the first record.
TWIN_API AscendC::TBufType* PipeAllocate(PipeState& state, uint32_t count, uint32_t bytes,
                                         const char* kind, int16_t* queueId, Location where);

}  // namespace twin

namespace AscendC {

/// Owns a core's local memory: hands it out from address 0 upwards, and the event ids with it.
class TPipe {
public:
    explicit TPipe(TWIN_HERE) { twin::PipeStart(state_, this, here); }
    ~TPipe() { Destroy(twin::Location()); }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;

    void Init(TWIN_HERE) { twin::PipeStart(state_, this, here); }
    /// Waits for pending events and for all pipes. The destructor does it too.
    void Destroy(TWIN_HERE) { twin::PipeEnd(state_, this, here); }
    /// Takes all buffers back.
    void Reset(TWIN_HERE) { twin::PipeReset(state_, here); }

    /// `num` buffers of `len` bytes each for a queue.
    template <class T>
    bool InitBuffer(T& que, uint8_t num, uint32_t len, TWIN_HERE) {
        que.state_ = twin::QueueState();
        que.state_.first =
            twin::PipeAllocate(state_, num, len, T::kTraits.name, &que.state_.id, here);
        que.state_.bufferCount = num;
        que.state_.bufferBytes = len;
        return true;
    }
    template <TPosition pos>
    bool InitBuffer(TBuf<pos>& buf, uint32_t len, TWIN_HERE) {
        int16_t id = -1;
        buf.buffer_ = twin::PipeAllocate(state_, 1, len, "TBuf", &id, here);
        buf.bytes_ = buf.buffer_->dataLen;
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
    /// The lowest free id, without reserving it.
    template <HardEvent evt>
    TEventID FetchEventID(TWIN_HERE) {
        return twin::PeekEvent(evt, here);
    }
    TEventID FetchEventID(HardEvent evt, TWIN_HERE) { return twin::PeekEvent(evt, here); }

private:
    twin::PipeState state_;
};

}  // namespace AscendC

/// The core's current TPipe; nullptr before the first one.
inline AscendC::TPipe* GetTPipePtr() { return twin::Self().pipe; }

#endif  // TWIN_DEVICE_PIPE_TPIPE_H
