// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/opcodes.h"
#include "core/types.h"

namespace twin {

/// Ends the task with T455, for calls that need other devices, or memory that other devices see.
[[noreturn]] TWIN_API void RefuseCollective(const char* call, Location where);

/// One collective communication of a group of one device: it is a copy, made once for each Commit;
/// each copy's data follow those of the one before.
struct CollectiveCopy {
    Opcode call;
    const void* send;
    void* receive;
    uint64_t bytes;  ///< bytes of one copy
    uint8_t repeat;
};

namespace collective {

constexpr uint32_t kContexts = 2;  ///< number of groups that a kernel can have

/// Describes group number `index`, which has only this device.
TWIN_API uint8_t* Context(uint32_t index);
/// Returns the number of the group that a context describes; T455 for a context that is not the
/// twin's.
TWIN_API uint32_t GroupOf(const void* context, Location where);
/// Ends the task with T455: there is no context that describes the group.
[[noreturn]] TWIN_API void RefuseBeforeInit(const char* call, Location where);
/// The core that acts for the device posts communication number `handle` of its group.
TWIN_API void Post(uint32_t group, int8_t handle, const CollectiveCopy& copy, Location where);
/// The same core makes the next copy of the communication.
TWIN_API void Commit(uint32_t group, int8_t handle, Location where);
/// Parks the core until `copies` of its copies are made.
TWIN_API void Await(uint32_t group, int8_t handle, uint32_t copies, Location where);
/// Returns the number of copies that are made.
TWIN_API int32_t Count(uint32_t group, int8_t handle, Location where);

}  // namespace collective
}  // namespace twin

namespace AscendC {

/// The description of the group of devices with which a kernel communicates.
template <uint32_t index>
inline uint8_t* GetHcclContext() {
    static_assert(index < twin::collective::kContexts,
                  "GetHcclContext: a kernel is given at most two contexts, 0 and 1");
    return twin::collective::Context(index);
}

}  // namespace AscendC
