// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/opcodes.h"
#include "core/types.h"

namespace twin {

/// Ends the kernel with T455, because the twin is one device and cannot execute `call`.
[[noreturn]] TWIN_API void RefuseCollective(const char* call, Location where);

/// One collective communication of a group of one device. Each Commit copies the next `bytes` bytes
/// from `send` to `receive`.
struct CollectiveCopy {
    Opcode call;
    const void* send;
    void* receive;
    uint64_t bytes;  ///< size of one copy in bytes
    uint8_t repeat;
};

namespace collective {

constexpr uint32_t kContexts = 2;  ///< number of groups that a kernel can have

/// Returns the context of group `index`, which consists of this device.
TWIN_API uint8_t* Context(uint32_t index);
/// Returns the number of the group that `context` describes; fails if the twin did not make the
/// context (T455).
TWIN_API uint32_t GroupOf(const void* context, Location where);
/// Ends the kernel with T455, because `call` came before Hccl::Init.
[[noreturn]] TWIN_API void RefuseBeforeInit(const char* call, Location where);
/// Registers communication `handle` of the group; called by the core that acts for the device.
TWIN_API void Post(uint32_t group, int8_t handle, const CollectiveCopy& copy, Location where);
/// Executes the next copy of a communication; only the core that called Post calls this.
TWIN_API void Commit(uint32_t group, int8_t handle, Location where);
/// Suspends the core until `copies` copies of the communication have been executed.
TWIN_API void Await(uint32_t group, int8_t handle, uint32_t copies, Location where);
/// Returns how many copies of the communication have been executed.
TWIN_API int32_t Count(uint32_t group, int8_t handle, Location where);

}  // namespace collective
}  // namespace twin

namespace AscendC {

/// Returns the context of the group of devices with which the kernel communicates.
template <uint32_t index>
inline uint8_t* GetHcclContext() {
    static_assert(index < twin::collective::kContexts,
                  "GetHcclContext: a kernel is given at most two contexts, 0 and 1");
    return twin::collective::Context(index);
}

}  // namespace AscendC
