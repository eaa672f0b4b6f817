// SPDX-License-Identifier: Apache-2.0
// Collective communication. The twin is one device, so every communication is a copy.
#include "device/sys/collective.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/launch_state.h"
#include "device/issue/issue.h"

namespace twin {
namespace {

/// A communication and its progress, which all cores of the launch share.
struct Posted {
    CollectiveCopy copy = {};
    uint32_t made = 0;
    const Core* speaker = nullptr;  ///< the core that called Post
};

struct Groups : BlockShared {
    std::map<std::pair<uint32_t, int8_t>, Posted> posted;  ///< indexed by group and handle
};

/// Returns the entry of a communication. The caller holds the launch's lock.
Posted& Find(LaunchState& launch, uint32_t group, int8_t handle) {
    if (launch.collectives == nullptr) {
        launch.collectives = std::make_unique<Groups>();
    }
    return static_cast<Groups&>(*launch.collectives).posted[{group, handle}];
}

/// The context of a group of one device. The first fields are those of the toolkit's context.
struct ContextOfOne {
    uint64_t space = 0;
    uint64_t spaceBytes = 0;
    uint32_t rank = 0;
    uint32_t ranks = 1;
    uint8_t rest[16384] = {};
};
ContextOfOne contexts[collective::kContexts];

}  // namespace

void RefuseCollective(const char* call, Location where) {
    Self().Begin(where);
    Fail(
        "T455",
        "not modelled: Hccl %s; the twin is one device, without others to communicate with\n  try: "
        "AllReduce, AllGather, ReduceScatter, AlltoAll or AlltoAllV of one device, after Init with "
        "GetHcclContext",
        call);
}

namespace collective {

uint8_t* Context(uint32_t index) { return reinterpret_cast<uint8_t*>(&contexts[index]); }

uint32_t GroupOf(const void* context, Location where) {
    for (uint32_t index = 0; index < kContexts; ++index) {
        if (context == &contexts[index]) {
            return index;
        }
    }
    RefuseCollective("Init with a context that GetHcclContext does not give", where);
}

void RefuseBeforeInit(const char* call, Location where) {
    RefuseCollective((std::string(call) + " before Init").c_str(), where);
}

void Post(uint32_t group, int8_t handle, const CollectiveCopy& copy, Location where) {
    Core& core = Self();
    core.Begin(where);
    bool other = false;
    {
        const std::lock_guard<std::mutex> lock(core.launch->mutex);
        Posted& posted = Find(*core.launch, group, handle);
        other = posted.speaker != nullptr && posted.speaker != &core;
        // A later Hccl object numbers its handles from 0 again and replaces old entries.
        posted = {copy, 0, &core};
    }
    if (other) {
        RefuseCollective("communications from both kinds of core", where);
    }
}

void Commit(uint32_t group, int8_t handle, Location where) {
    Core& core = Self();
    core.Begin(where);
    LaunchState& launch = *core.launch;
    CollectiveCopy copy;
    uint64_t skipped = 0;
    {
        const std::lock_guard<std::mutex> lock(launch.mutex);
        const Posted& posted = Find(launch, group, handle);
        copy = posted.copy;
        skipped = posted.made * copy.bytes;
    }
    const auto send = reinterpret_cast<uintptr_t>(copy.send);
    const auto receive = reinterpret_cast<uintptr_t>(copy.receive);
    Issue issue(copy.call, core);
    const Runs runs(copy.bytes);
    issue.NoteGm(Arg::SendBuf, {send, send + skipped}, runs, false);
    core.OrderGm(send + skipped, copy.bytes, false, issue.api());  // NoteGm does not call OrderGm
    if (send != receive) {
        issue.NoteGm(Arg::RecvBuf, {receive, receive + skipped}, runs, true);
        core.OrderGm(receive + skipped, copy.bytes, true, issue.api());
    }
    issue.Ready();
    std::memmove(reinterpret_cast<void*>(receive + skipped),
                 reinterpret_cast<const void*>(send + skipped), copy.bytes);
    issue.Done();
    const std::lock_guard<std::mutex> lock(launch.mutex);
    ++Find(launch, group, handle).made;
    launch.NoteChange();
}

void Await(uint32_t group, int8_t handle, uint32_t copies, Location where) {
    Core& core = Self();
    core.Begin(where);
    LaunchState& launch = *core.launch;
    const auto ready = [&launch, group, handle, copies] {
        return Find(launch, group, handle).made >= copies;
    };
    WaitUntil(core, ready, "Hccl Wait(" + std::to_string(handle) + ")");
    core.NoteMeeting();
}

int32_t Count(uint32_t group, int8_t handle, Location where) {
    Core& core = Self();
    core.Begin(where);
    Yield(core);  // lets other cores run: a kernel may call this in a loop
    const std::lock_guard<std::mutex> lock(core.launch->mutex);
    return static_cast<int32_t>(Find(*core.launch, group, handle).made);
}

}  // namespace collective
}  // namespace twin
