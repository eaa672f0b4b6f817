// SPDX-License-Identifier: Apache-2.0
// Functions of Core that order its accesses to global memory (data cache, atomic copies), and that
// check the core at the end of the kernel.
#include <algorithm>
#include <cstring>

#include "core/core_output.h"
#include "core/core_state.h"
#include "core/launch_state.h"
#include "core/types.h"

namespace twin {
namespace {

[[noreturn]] void FailGone(const Core& core, uintptr_t address) {
    Fail("T501",
         "segmentation fault: an atomic copy to %s met host memory that is not there\n  try: keep "
         "the memory mapped, and its file as long as it was, until the stream is synchronised",
         DescribeGm(core, address).c_str());
}

}  // namespace

std::string DescribeGm(const Core& core, uintptr_t address) {
    for (const GmRange& range : core.launch->gm) {
        if (range.Contains(address)) {
            return "byte " + std::to_string(address - range.begin) + " of " + range.label;
        }
    }
    return "unknown memory";
}

void Core::OrderGm(uintptr_t address, uint64_t bytes, bool write, const char* api) {
    if (__builtin_expect(state->cache.HasDirty() && strict && !judged, 0)) {
        if (const uintptr_t dirty = state->cache.FindDirty(address, bytes)) {
            Fail("T311",
                 "scalar write not in memory: %s %s %s, which SetValue has written, but only into "
                 "the scalar data cache;"
                 " copies do not look into it\n  try: DataCacheCleanAndInvalid between SetValue "
                 "and the copy",
                 api, write ? "overwrites" : "reads", DescribeGm(*this, dirty).c_str());
        }
    }
    if (__builtin_expect(!launch->MayHoldAtomics(address, bytes), 1)) {
        return;
    }
    const bool atomicWrite = write && atomicOp != AtomicOp::None;
    uint32_t other = coreIdx;
    bool there = true;
    {
        const std::lock_guard<std::mutex> lock(launch->mutex);
        if (strict && !judged) {
            other = atomicWrite ? launch->OtherReader(*this, address, bytes)
                                : launch->OtherAdder(*this, address, bytes);
        }
        if (!atomicWrite) {
            const bool own = state->atomics.OverlapsUnpublished(address, bytes);
            there = launch->ApplyPublished(*this, address, bytes);
            if (own) {
                launch->NoteAtomicRead(*this, address, bytes);
            }
        }
    }
    if (!there) {
        FailGone(*this, address);
    }
    if (other != coreIdx) {
        Fail("T314",
             "unordered atomic copies: core %u and core %u touch %s, one with an atomic copy, and "
             "no synchronisation comes"
             " between; on the chip the result depends on timing\n  try: SyncAll between the "
             "atomic copies and the read",
             std::min(other, coreIdx), std::max(other, coreIdx),
             DescribeGm(*this, address).c_str());
    }
}

void Core::StoreGm(uintptr_t address, const void* values, uint64_t bytes) {
    if (__builtin_expect(atomicOp == AtomicOp::None, 1)) {
        std::memcpy(reinterpret_cast<void*>(address), values, bytes);
        return;
    }
    const bool inexact =
        atomicDtype == Dtype::F32 || atomicDtype == Dtype::F16 || atomicDtype == Dtype::Bf16;
    bool there = true;
    bool full = false;
    {
        const std::lock_guard<std::mutex> lock(launch->mutex);
        if (inexact) {
            launch->NoteAtomics(address, bytes);
            const uint64_t before = state->atomics.PendingBytes();
            state->atomics.Append(atomicOp, atomicDtype, address, values, bytes);
            full = launch->LogIsFull(*this, state->atomics.PendingBytes() - before);
        } else {  // integers: any order gives the same bits
            MemoryFault fault;
            const auto apply = [&] {
                ApplyAtomic(atomicOp, atomicDtype, reinterpret_cast<void*>(address), values, bytes);
            };
            there = Contained(apply, &fault);
        }
    }
    if (!there) {
        FailGone(*this, address);
    }
    if (full) {
        task->waitsForRoom = true;
        WaitUntil(
            *this, [this] { return state->atomics.PendingBytes() == 0; },
            "lower cores, whose atomic copies come first");
        task->waitsForRoom = false;
    }
}

void Core::PublishAtomics() {
    state->cache.NoteRelease();
    const std::lock_guard<std::mutex> lock(launch->mutex);
    if (!state->atomics.Empty()) {
        state->atomics.Publish();
        launch->ForgetAtomicReads(*this);
    }
}

void Core::CheckAtEnd() {
    const uintptr_t held = strict && !judged ? state->cache.FirstHeld() : 0;
    if (held != 0) {
        Fail(
            "T311",
            "scalar write not in memory: SetValue of %s was not written back before the next "
            "synchronisation or DataCacheCleanAndInvalid; the data cache keeps it from everybody "
            "else\n  try: DataCacheCleanAndInvalid of every line that SetValue has written, before "
            "others are told",
            DescribeGm(*this, held).c_str());
    }
    // The toolkit's compiler ends every kernel with this write-back.
    state->cache.CleanAndInvalidateAll();
    if (!strict) {
        return;
    }
    for (uint32_t index = 0; index < kHardEvents; ++index) {
        for (uint32_t id = 0; id < kEventIds; ++id) {
            if ((flags[index] & (1U << id)) == 0) {
                continue;
            }
            where = flagSetAt[index][id];
            if (flagSetBy[index][id] == QueueEvent::EnQue) {
                Fail("T306",
                     "flag left set: the tensor that EnQue put into its queue is never taken out, "
                     "so "
                     "HardEvent::%s id %u leaks into the next kernel on this core\n  try: a DeQue, "
                     "and FreeTensor, for every EnQue",
                     EventInfo(index).name, id);
            }
            Fail("T306",
                 "flag left set: SetFlag<HardEvent::%s>(%u) is never waited for, so it leaks into "
                 "the next"
                 " kernel on this core\n  try: a WaitFlag<HardEvent::%s>(%u) before the kernel "
                 "returns",
                 EventInfo(index).name, id, EventInfo(index).name, id);
        }
    }
    CheckModes();
}

void Core::CheckModes() {
    const auto refuse = [this](const Location& at, const char* mode, const char* effect,
                               const char* remedy) {
        where = at;
        Fail("T322",
             "mode left on: %s when the kernel returns; the next kernel on this core "
             "would also %s\n  try: %s before the kernel returns",
             mode, effect, remedy);
    };
    switch (atomicOp) {
        case AtomicOp::None:
            break;
        case AtomicOp::Add:
            refuse(modesSetAt.atomic, "SetAtomicAdd is still on", "add", "SetAtomicNone()");
            break;
        case AtomicOp::Max:
            refuse(modesSetAt.atomic, "SetAtomicMax is still on", "take the maximum",
                   "SetAtomicNone()");
            break;
        case AtomicOp::Min:
            refuse(modesSetAt.atomic, "SetAtomicMin is still on", "take the minimum",
                   "SetAtomicNone()");
            break;
    }
    if (!pedantic) {
        return;
    }
    if (mask.counter) {
        refuse(modesSetAt.counter, "the counter mode of the vector mask is still on",
               "count elements", "SetMaskNorm(), and ResetMask()");
    }
    const bool full = mask.low == UINT64_MAX && mask.high == UINT64_MAX;
    if (!full && modesSetAt.mask.line != 0 && mask.low == modesSetAt.maskLow &&
        mask.high == modesSetAt.maskHigh) {
        refuse(modesSetAt.mask, "the mask of SetVectorMask is still set", "use this mask",
               "ResetMask()");
    }
    if (ctrl != kCtrlAtStart) {
        refuse(modesSetAt.ctrl,
               "a bit of the control register (saturation, HF32 or Mmad's order) is still changed",
               "use this bit", "put it back to what it was");
    }
}

}  // namespace twin
