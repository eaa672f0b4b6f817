// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/launch.h"

namespace twin::host {

/// Flag that another thread sets to end the running task early.
using CancelFlag = std::shared_ptr<std::atomic<bool>>;
using StreamTask = std::function<LaunchResult(const CancelFlag& cancel)>;

/// The tasks of a model that a program captures: instead of running them, streams add them here, in
/// the order of the program's calls. A stream takes part from BeginCapture on, or from the time at
/// which it waits for an event that a stream of the capture has recorded.
struct Capture {
    struct Task {
        const void* stream;
        StreamTask run;
    };
    std::mutex mutex;
    std::vector<Task> tasks;
    std::vector<std::weak_ptr<class Stream>> streams;
    std::atomic<bool> active{true};
};

/// A queue of tasks with its own thread; tasks run in order. After a failed task, later tasks are
/// dropped until a thread synchronises and gets the failure; then the stream works again.
class Stream {
public:
    explicit Stream(const void* context);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    const void* Context() const { return context_; }

    /// Adds a task, or passes it to the capture of which the stream is part.
    void Enqueue(StreamTask task);
    /// Adds a task that other threads wait for (event records); it runs even after a failed task.
    void EnqueueAlways(std::function<void(const LaunchResult& failure)> task);

    /// Makes the stream part of a capture; null ends this.
    void SetCapture(std::shared_ptr<Capture> capture);
    std::shared_ptr<Capture> Captured() const;

    /// Waits until no task is queued or running. Returns false after `timeoutMs` (-1: never).
    bool WaitIdle(int timeoutMs);
    bool Idle() const;
    /// Returns the failure that no synchronisation has reported yet, and clears it.
    LaunchResult TakeFailure();
    /// Drops the queued tasks and ends the running one. The next synchronisation reports this.
    void Abort();
    /// Ends all tasks as Abort does and accepts no more tasks. Returns after at most `patienceMs`.
    void Stop(int patienceMs);

private:
    struct Item {
        StreamTask task;
        std::function<void(const LaunchResult&)> always;
        /// Allocated when the item is queued, so the stream's own thread cannot run out of memory.
        CancelFlag cancel;
    };

    void Push(Item item);
    void Run();
    void RunItem(Item item, std::unique_lock<std::mutex>* lock);
    size_t DropQueuedTasks();
    bool IdleLocked() const { return queue_.empty() && !running_; }

    const void* const context_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable idle_;
    std::deque<Item> queue_;
    std::shared_ptr<Capture> capture_;
    CancelFlag cancel_;
    LaunchResult failure_;
    bool running_ = false;
    bool aborting_ = false;
    bool stop_ = false;
    bool ended_ = false;
    std::thread thread_;
};

/// A point in a stream. Each aclrtRecordEvent starts a new generation of the event, with the next
/// number. The event is complete when its newest generation is complete.
class Event {
public:
    using Clock = std::chrono::steady_clock;

    explicit Event(bool timed) : timed_(timed) {}

    bool Timed() const { return timed_; }
    /// Starts a new generation, which the stream will complete.
    uint64_t Record();
    /// Returns the newest generation; 0 if the event was never recorded.
    uint64_t Recorded() const;
    void Complete(uint64_t generation, const LaunchResult& failure);
    /// Makes the event forget its generations up to `generation`.
    void Reset(uint64_t generation);
    /// Marks the event as recorded by a stream of a capture, or, with null, by another stream.
    void SetCapture(std::shared_ptr<Capture> capture);
    std::shared_ptr<Capture> Captured() const;

    bool Complete() const;
    /// Waits until a generation is complete; false after `timeoutMs` (-1: no limit) or `cancel`.
    bool Wait(uint64_t generation, int timeoutMs, const CancelFlag& cancel);
    /// Returns the status that the stream had when the stream reached the event.
    LaunchResult Failure() const;
    Clock::time_point Time() const;

private:
    const bool timed_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t recorded_ = 0;
    uint64_t completed_ = 0;
    uint64_t forgotten_ = 0;
    std::shared_ptr<Capture> capture_;
    LaunchResult failure_;
    Clock::time_point time_;
};

/// Objects that C code knows as opaque handles. A handle is a number that is never reused and never
/// a valid address, so destroyed, foreign and random pointers are recognised. Thread safe.
template <typename T>
class HandleTable {
public:
    /// `tag` distinguishes the handles of different tables.
    explicit HandleTable(uint8_t tag)
        : next_((uintptr_t{1} << 62) | (static_cast<uintptr_t>(tag) << 48)) {}

    void* Add(std::shared_ptr<T> object) {
        std::lock_guard<std::mutex> lock(mutex_);
        next_ += 16;
        void* const handle = reinterpret_cast<void*>(next_);
        objects_.emplace(handle, std::move(object));
        return handle;
    }

    std::shared_ptr<T> Find(const void* handle) const {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : found->second;
    }

    /// Finds the object and removes its handle.
    std::shared_ptr<T> Take(const void* handle) {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found = objects_.find(handle);
        if (found == objects_.end()) {
            return nullptr;
        }
        std::shared_ptr<T> object = std::move(found->second);
        objects_.erase(found);
        return object;
    }

    std::vector<std::pair<const void*, std::shared_ptr<T>>> Snapshot() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return {objects_.begin(), objects_.end()};
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<const void*, std::shared_ptr<T>> objects_;
    uintptr_t next_;
};

}  // namespace twin::host
