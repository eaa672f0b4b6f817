// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/pipe/tpipe.h"
#include "device/sync/events.h"

namespace twin {

/// All Matmul objects of a core use the same part of L1 and L0C, one after the other: while this
/// object exists, buffers are placed there. L0A, L0B and the bias table belong to the object that
/// computes.
class SharedMemory {
public:
    explicit SharedMemory(AscendC::TPipe& pipe, Location where) : state_(pipe.state_) {
        (void)where;
        for (const Memory memory : {Memory::L1, Memory::L0c}) {
            const auto i = static_cast<size_t>(memory);
            if (!state_.shared) {
                state_.sharedBegin[i] = state_.nextAddress[i];
            }
            end_[i] = state_.nextAddress[i];
            state_.nextAddress[i] = state_.sharedBegin[i];
        }
        state_.shared = true;
    }
    ~SharedMemory() {
        for (const Memory memory : {Memory::L1, Memory::L0c}) {
            const auto i = static_cast<size_t>(memory);
            if (state_.nextAddress[i] < end_[i]) {
                state_.nextAddress[i] = end_[i];
            }
        }
    }
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    using Evict = void (*)(void* owner, Location where);

    /// `owner` is about to use the memory: the previous owner gives up its copies, and the pipes
    /// finish their work there.
    static void Take(AscendC::TPipe& pipe, void* owner, Evict evict, Location where) {
        using AscendC::HardEvent;
        PipeState& state = pipe.state_;
        if (state.sharedOwner == owner) {
            return;
        }
        if (state.sharedOwner != nullptr) {
            state.evictOwner(state.sharedOwner, where);
            Order<HardEvent::MTE1_MTE2>(pipe, where);
            Order<HardEvent::FIX_M>(pipe, where);
        }
        state.sharedOwner = owner;
        state.evictOwner = evict;
    }
    /// The owner is destroyed; its TPipe may already be destroyed.
    static void Leave(AscendC::TPipe* pipe, const void* owner) {
        const Core* const core = SelfOrNull();
        if (core == nullptr || pipe == nullptr || core->pipe != pipe) {
            return;
        }
        if (pipe->state_.sharedOwner == owner) {
            pipe->state_.sharedOwner = nullptr;
        }
    }

private:
    template <AscendC::HardEvent event>
    static void Order(AscendC::TPipe& pipe, Location where) {
        const auto id = pipe.template FetchEventID<event>(where);
        AscendC::SetFlag<event>(id, where);
        AscendC::WaitFlag<event>(id, where);
    }

    PipeState& state_;
    uint32_t end_[kMemories] = {};
};

}  // namespace twin
