// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/data_copy/data_copy.h"
#include "device/pipe/tpipe.h"
#include "device/sync/events.h"

namespace twin {

/// While this object exists, new buffers in L1 and L0C are placed in the part that all Matmul
/// objects of a core share. These objects use the part in turn. L0A, L0B and the bias table belong
/// to the Matmul object that computes.
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

    /// Gives the shared memory to `owner`. First evicts the data of the previous owner.
    /// Later accesses to the memory wait for the pipes that the previous owner used.
    static void Take(AscendC::TPipe& pipe, void* owner, Evict evict, Location where) {
        using AscendC::HardEvent;
        PipeState& state = pipe.state_;
        if (state.sharedOwner == owner) {
            return;
        }
        if (state.sharedOwner != nullptr) {
            state.evictOwner(state.sharedOwner, where);
            SyncPipes(HardEvent::MTE1_MTE2, where);
            SyncPipes(HardEvent::FIX_M, where);
        }
        state.sharedOwner = owner;
        state.evictOwner = evict;
    }
    /// Takes the shared memory from `owner`, which is being destroyed. `pipe` may no longer exist.
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
    PipeState& state_;
    uint32_t end_[kMemories] = {};
};

/// Returns the parameters of a copy of the first `elements` elements; 0 means the whole shape.
template <typename T>
inline AscendC::DataCopyParams SpmBlocks(const AscendC::LocalTensor<T>& tensor, int32_t elements) {
    const auto count = elements != 0 ? static_cast<uint64_t>(elements)
                                     : AscendC::GetShapeSize(tensor.GetShapeInfo());
    AscendC::DataCopyParams params;
    params.blockLen = static_cast<uint16_t>(count * sizeof(T) / kBlockBytes);
    return params;
}
template <typename T>
inline AscendC::GlobalTensor<T> SpmPlace(const PipeState& state, int32_t offset, Location where) {
    Self().Begin(where);
    if (state.spm.address == 0) {
        Fail("T222", "no spill buffer: WriteSpmBuffer and ReadSpmBuffer come after InitSpmBuffer");
    }
    AscendC::GlobalTensor<T> place;
    place.SetGlobalBuffer(reinterpret_cast<T*>(state.spm.origin));
    place.address_ = reinterpret_cast<T*>(state.spm.address) + offset;
    return place;
}

}  // namespace twin

namespace AscendC {

/// Sets `popLocal` to the rest of UB after the last InitBuffer. The memory is not allocated, so the
/// next call returns the same memory.
template <typename T, TPosition pos>
inline bool PopStackBuffer(LocalTensor<T>& popLocal, TWIN_HERE) {
    popLocal.SetAddr(twin::StackBuffer(pos, here));
    return true;
}
template <TPosition pos>
inline bool PopStackBuffer(TBuf<pos>& popBuffer, TBufType& bufStart,
                           twin::Location here = twin::Location::Here()) {
    const TBuffAddr address = twin::StackBuffer(pos, here);
    bufStart.address = address.bufferAddr;
    bufStart.dataLen = address.dataLen;
    popBuffer.Attach(&bufStart, address.dataLen);
    return true;
}

/// Makes WriteSpmBuffer and ReadSpmBuffer use `workspace`. There is no overload without a
/// workspace, because the toolkit's overload spills to L1 and vector cores of A2/A3 have no L1.
template <typename T>
inline void TPipe::InitSpmBuffer(const GlobalTensor<T>& workspace, const int32_t bufferSize,
                                 twin::Location here) {
    twin::Self().Begin(here);
    state_.spm = workspace;
    state_.spmBytes = bufferSize;
}

/// Copies a tensor to element `writeOffset` of the workspace. The copy waits for earlier writes to
/// the tensor; later vector instructions and copies to UB wait for this copy.
template <typename T>
inline void TPipe::WriteSpmBuffer(const LocalTensor<T>& writeLocal,
                                  const DataCopyParams& copyParams, int32_t writeOffset,
                                  twin::Location here) {
    const GlobalTensor<T> place = twin::SpmPlace<T>(state_, writeOffset, here);
    twin::SyncPipes(HardEvent::V_MTE3, here);
    twin::SyncPipes(HardEvent::MTE2_MTE3, here);
    DataCopy(place, writeLocal, copyParams, here);
    twin::SyncPipes(HardEvent::MTE3_MTE2, here);
    twin::SyncPipes(HardEvent::MTE3_V, here);
}

template <typename T>
inline void TPipe::ReadSpmBuffer(const LocalTensor<T>& readLocal, const DataCopyParams& copyParams,
                                 int32_t readOffset, twin::Location here) {
    const GlobalTensor<T> place = twin::SpmPlace<T>(state_, readOffset, here);
    twin::SyncPipes(HardEvent::V_MTE2, here);
    DataCopy(readLocal, place, copyParams, here);
    twin::SyncPipes(HardEvent::MTE2_V, here);
    twin::SyncPipes(HardEvent::MTE2_MTE3, here);
}

template <typename T>
inline void TPipe::WriteSpmBuffer(const LocalTensor<T>& writeLocal, const int32_t writeSize,
                                  int32_t writeOffset, twin::Location here) {
    WriteSpmBuffer(writeLocal, twin::SpmBlocks(writeLocal, writeSize), writeOffset, here);
}

template <typename T>
inline void TPipe::ReadSpmBuffer(const LocalTensor<T>& readLocal, const int32_t readSize,
                                 int32_t readOffset, twin::Location here) {
    ReadSpmBuffer(readLocal, twin::SpmBlocks(readLocal, readSize), readOffset, here);
}

}  // namespace AscendC
