// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/pipe/tbuf.h"
#include "device/types/parameters.h"

// What TPipe does, as functions of the allocations of one TPipe.

namespace twin {

/// Size of the part at the end of UB in which a vector core's Matmul object builds its messages.
constexpr uint32_t kMatmulMessageBytes = 64;

/// The allocations of one TPipe.
struct PipeState {
    AscendC::TBufType buffers[kMaxBuffers];
    uint32_t bufferCount = 0;
    uint32_t nextAddress[kMemories] = {};
    uint32_t tscmBytes = 0;  ///< total size of all TSCM buffers, which are at the end of L1
    bool alive = false;
    GmOperand spm{0, 0};  ///< the workspace of InitSpmBuffer
    int32_t spmBytes = 0;
    // The members below describe the part of L1 and L0C that all Matmul objects share (spm.h).
    bool shared = false;
    uint32_t sharedBegin[kMemories] = {};
    void* sharedOwner = nullptr;
    void (*evictOwner)(void* owner, Location where) = nullptr;
};

class SharedMemory;

TWIN_API void PipeStart(PipeState& state, AscendC::TPipe* pipe, Location where);
TWIN_API void PipeEnd(PipeState& state, AscendC::TPipe* pipe, Location where);
/// Ends the TPipe as PipeEnd does, but does not wait for the pipes.
TWIN_API void PipeEndWithoutBarrier(PipeState& state, AscendC::TPipe* pipe, Location where);
TWIN_API void PipeTakeOver(PipeState& state, const PipeState& other);
TWIN_API void PipeCopy(PipeState& state, const PipeState& other);
TWIN_API void PipeReset(PipeState& state, Location where);
/// Allocates `count` buffers of `bytes` each, rounded up to 32, in the memory of `position`;
/// returns the first buffer's TBufType. If `together` is true, all vector cores of a block use
/// the same TSCM buffers; otherwise each vector core has its own buffers.
TWIN_API AscendC::TBufType* PipeAllocate(PipeState& state, AscendC::TPosition position,
                                         uint32_t count, uint32_t bytes, const char* kind,
                                         bool together, int16_t* queueId, Location where);
/// A buffer whose place in the memory the kernel has chosen.
struct BufferPlace {
    uint32_t address;
    uint32_t bytes;
};

/// Makes `count` buffers at the places that the kernel has chosen; buffers may overlap.
TWIN_API AscendC::TBufType* PipePlace(PipeState& state, AscendC::TPosition position,
                                      const BufferPlace* places, uint32_t count, const char* kind,
                                      int16_t* queueId, Location where);
/// Returns the address of byte `offset` of the position's memory.
TWIN_API AscendC::TBuffAddr AbsoluteAddress(AscendC::TPosition position, int32_t offset,
                                            int32_t bytes, Location where);
/// Returns the part of UB that the core's TPipe has not allocated.
TWIN_API AscendC::TBuffAddr StackBuffer(AscendC::TPosition position, Location where);
/// Returns the first address of `memory` that the TPipe has not allocated.
uint32_t PipeEndAddress(const AscendC::TPipe& pipe, Memory memory);
/// Returns the size of the TPipe's TSCM buffers, which are at the end of L1.
uint32_t PipeTscmBytes(const AscendC::TPipe& pipe);

}  // namespace twin
