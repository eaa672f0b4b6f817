// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/core_state.h"

namespace twin {

/// A call stack with an inaccessible guard below it.
class Stack {
public:
    Stack();
    ~Stack();
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;

    void* Base() const { return base_; }
    static size_t Bytes();
    bool InGuard(const void* address) const;

private:
    uint8_t* mapping_;
    uint8_t* base_;
};

class Worker;

MemorySizes SizesOf(const SocInfo& soc);

/// Stack and local memories of one core.
class CoreStorage {
public:
    CoreStorage(const SocInfo& soc, CoreKind kind);
    ~CoreStorage();
    CoreStorage(const CoreStorage&) = delete;
    CoreStorage& operator=(const CoreStorage&) = delete;
    /// Fills the memories with a pattern on which no kernel may rely.
    void Poison(uint32_t pattern);
    /// Stores the addresses and sizes of the memories in `core`.
    void Attach(Core* core) const;
    bool Fits(const SocInfo& soc, CoreKind kind) const;
    /// Returns a text such as "UB+0x30004, outside its 196608 B" for an address in the inaccessible
    /// pages next to a memory, otherwise "".
    std::string DescribeGuard(const void* address) const;

    Stack stack;

private:
    const CoreKind kind_;
    const MemorySizes bytes_;  ///< sizes of all memories, of both kinds of core
    /// Start of each memory; nullptr for memories of the other kind of core.
    uint8_t* start_[kMemories] = {};
    /// The memories of this kind of core, with inaccessible pages between them.
    uint8_t* mapping_ = nullptr;
    size_t mapped_ = 0;
};

/// The CoreStorage objects that no core uses. All workers share them, because a core may start on
/// one worker and end on another.
class IdleStorages {
public:
    static IdleStorages& Instance();
    /// Returns the storage that `worker` used last, because its memory may still be in the host's
    /// cache. Otherwise returns any storage that fits, or a new one.
    std::unique_ptr<CoreStorage> Take(const SocInfo& soc, CoreKind kind, const Worker* worker);
    /// Takes a storage back. If one storage for each core of the largest SoC is idle already,
    /// destroys the storage that was idle longest.
    void Give(std::unique_ptr<CoreStorage> storage, const Worker* worker);

private:
    struct Entry {
        std::unique_ptr<CoreStorage> storage;
        const Worker* user;
    };

    std::mutex mutex_;
    std::vector<Entry> entries_;  ///< the longest idle entry first
};

/// A call that a waiting core needs, and the cores that have not made this call yet.
struct Awaited {
    std::string call;
    std::vector<uint32_t> cores;
};

enum class TaskState : uint8_t { Ready, Waiting, Done, Failed };

/// A cooperative task: one core running one block.
class Task {
public:
    Core core;
    ucontext_t context = {};
    std::unique_ptr<CoreStorage> storage;
    TaskState state = TaskState::Ready;
    const Worker* worker = nullptr;  ///< the worker that runs the task now, or ran it last
    bool running = false;
    std::function<bool()> wakeUp;  ///< returns true if the task may go on; needs the launch's lock
    std::string waitsFor;          ///< reason of the wait, for the deadlock report
    /// Returns the calls that would end the wait; may be empty.
    std::function<std::vector<Awaited>()> awaited;
    bool waitsForRoom = false;  ///< the core waits until its atomic copies are applied to memory
    bool polling = false;  ///< the task has yielded because it reads the same GM address repeatedly
};

/// Suspends the running task until `wakeUp` returns true. The caller is on the task's own stack and
/// does not hold the launch's lock; `wakeUp` and `awaited` are called with the lock held. Code that
/// makes `wakeUp` true calls LaunchState::NoteChange.
///   awaited: returns the calls that would end the wait, for the deadlock report.
void WaitUntil(Core& core, std::function<bool()> wakeUp, std::string waitsFor,
               std::function<std::vector<Awaited>()> awaited = {});
/// Lets the other tasks of this worker run once.
void Yield(Core& core);

}  // namespace twin
