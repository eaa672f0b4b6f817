// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/tensor/local_tensor.h"
#include "device/types/enums.h"

namespace AscendC {

enum class TBufState : uint8_t { FREE = 0, OCCUPIED, ENQUE, DEQUE };

/// One buffer of a queue: its address, its state, and the ids of the events that order its uses.
struct TBufType {
    TBufState state = TBufState::FREE;
    HardEvent freeBufEvt = HardEvent::MAX;
    TEventID enQueEvtID = INVALID_TEVENTID;
    TEventID freeBufEvtID = INVALID_TEVENTID;
    HardEvent userEnQueEvt = HardEvent::MAX;
    uint32_t address = 0;
    uint32_t dataLen = 0;
    TTagType usertag = -1;
};

/// Settings of a queue type. The template argument `mask` of a queue is a pointer to a TQueConfig,
/// or a number whose low three bits set the first three members.
struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    uint32_t bufferLen = 0;
    uint32_t bufferNumber = 0;
    uint32_t consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false;
    bool enableLoopQueue = false;
};

constexpr TQueConfig GetTQueConfig(const int32_t mask) {
    TQueConfig config;
    config.nd2nz = (static_cast<uint32_t>(mask) & 1U) != 0;
    config.nz2nd = (static_cast<uint32_t>(mask) & 2U) != 0;
    config.scmBlockGroup = (static_cast<uint32_t>(mask) & 4U) != 0;
    return config;
}
constexpr TQueConfig GetTQueConfig(const TQueConfig* config) { return *config; }
constexpr TQueConfig GetTQueConfig(bool nd2nz, bool nz2nd, bool scmBlockGroup, uint32_t bufferLen,
                                   uint32_t bufferNumber, uint32_t consumerSize,
                                   const TPosition consumer[], bool enableStaticEvtId,
                                   bool enableLoopQueue) {
    TQueConfig config;
    config.nd2nz = nd2nz;
    config.nz2nd = nz2nd;
    config.scmBlockGroup = scmBlockGroup;
    config.bufferLen = bufferLen;
    config.bufferNumber = bufferNumber;
    config.consumerSize = consumerSize;
    for (int i = 0; i < 8; ++i) {
        config.consumer[i] = consumer[i];
    }
    config.enableStaticEvtId = enableStaticEvtId;
    config.enableLoopQueue = enableLoopQueue;
    return config;
}

}  // namespace AscendC

namespace twin {

/// The part of a queue that does not depend on its template arguments.
struct QueueState {
    AscendC::TBufType* first = nullptr;
    uint8_t bufferCount = 0;
    uint32_t bufferBytes = 0;
    uint8_t cursor = 0;  ///< index of the buffer at which the next AllocTensor starts
    uint16_t head = 0;   ///< index of the oldest entry in the ring
    uint16_t used = 0;   ///< number of entries in the ring
    int16_t id = -1;     ///< number of the queue in the order of InitBuffer, for messages
};

/// The part of a queue that depends on its template arguments: one constant for each queue type.
struct QueueTraits {
    const char* name;
    AscendC::TPosition position;
    AscendC::HardEvent enQueEvent;
    AscendC::HardEvent freeEvent;
    uint16_t depth;
};

TWIN_API AscendC::TBufType* QueueAlloc(QueueState& queue, const QueueTraits& traits,
                                       Location where);
TWIN_API void QueueFree(QueueState& queue, const QueueTraits& traits, AscendC::TBufType* buffer,
                        Location where);
TWIN_API void QueueEnQue(QueueState& queue, const QueueTraits& traits, AscendC::TBufType** ring,
                         AscendC::TBufType* buffer, AscendC::HardEvent event, Location where);
TWIN_API AscendC::TBufType* QueueDeQue(QueueState& queue, const QueueTraits& traits,
                                       AscendC::TBufType** ring, AscendC::HardEvent event,
                                       Location where);
/// Dequeues `buffer` from a queue of depth 0, which keeps no list of its tensors.
TWIN_API void QueueDeQueInPlace(QueueState& queue, const QueueTraits& traits,
                                AscendC::TBufType* buffer, AscendC::HardEvent event,
                                Location where);
TWIN_API void CheckQueueConfig(const AscendC::TQueConfig& config, uint32_t count, uint32_t bytes);
TWIN_API bool QueueHasIdle(const QueueState& queue);
/// Waits for every pending free event of the queue.
TWIN_API void QueueDrain(QueueState& queue, Location where);
TWIN_API AscendC::TBuffAddr BufferAddress(const AscendC::TBufType* buffer,
                                          AscendC::TPosition position);

}  // namespace twin
