// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_STREAM_H
#define TWIN_HOST_STREAM_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "core/launch.h"

namespace twin::host {

/// Another thread sets this to end the running task early.
using CancelFlag = std::shared_ptr<std::atomic<bool>>;
using StreamTask = std::function<LaunchResult(const CancelFlag& cancel)>;

/// A queue of tasks with a thread of its own; tasks run in order. After a failed task the later
/// ones are dropped until somebody synchronises and so learns of the failure; then the stream works
/// again.
class Stream {
public:
    explicit Stream(const void* context);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    const void* Context() const { return context_; }

    void Enqueue(StreamTask task);
    /// For bookkeeping that others wait for (event records): it runs even if an earlier task
    /// failed.
    void EnqueueAlways(std::function<void(const LaunchResult& failure)> task);

    /// Waits until nothing is queued or running; false if `timeoutMs` (-1: for ever) ran out first.
    bool WaitIdle(int timeoutMs);
    bool Idle() const;
    /// The unreported failure; after this call it counts as reported.
    LaunchResult TakeFailure();
    /// Drops the queued tasks and ends the running one. The next synchronise reports the loss.
    void Abort();
    /// Does the same as Abort, but for good. Returns after `patienceMs` at the latest.
    void Stop(int patienceMs);

private:
    struct Item {
        StreamTask task;
        std::function<void(const LaunchResult&)> always;
        /// Allocated together with the item: the stream's own thread must not fail for lack of
        /// memory.
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
    CancelFlag cancel_;
    LaunchResult failure_;
    bool running_ = false;
    bool aborting_ = false;
    bool stop_ = false;
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace twin::host

#endif  // TWIN_HOST_STREAM_H
