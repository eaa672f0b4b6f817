// SPDX-License-Identifier: Apache-2.0
#include "host/stream.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "acl/acl.h"

namespace twin::host {

Stream::Stream(const void* context) : context_(context) {
    thread_ = std::thread([this] { Run(); });
}

Stream::~Stream() {
    constexpr int kForEver = -1;
    Stop(kForEver);
}

void Stream::Enqueue(StreamTask task) {
    if (const auto capture = Captured()) {
        std::lock_guard<std::mutex> lock(capture->mutex);
        capture->tasks.push_back({this, std::move(task)});
        return;
    }
    Push(Item{std::move(task), nullptr, std::make_shared<std::atomic<bool>>(false)});
}

void Stream::EnqueueAlways(std::function<void(const LaunchResult&)> task) {
    Push(Item{nullptr, std::move(task), std::make_shared<std::atomic<bool>>(false)});
}

void Stream::Push(Item item) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (stop_) {
        // No thread will run this task, but another thread may wait for its event.
        if (item.always) {
            item.always(failure_);
        }
        return;
    }
    queue_.push_back(std::move(item));
    wake_.notify_one();
}

void Stream::SetCapture(std::shared_ptr<Capture> capture) {
    std::lock_guard<std::mutex> lock(mutex_);
    capture_ = std::move(capture);
}

std::shared_ptr<Capture> Stream::Captured() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return capture_;
}

bool Stream::WaitIdle(int timeoutMs) {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto done = [this] { return IdleLocked() && !aborting_; };
    if (timeoutMs < 0) {
        idle_.wait(lock, done);
        return true;
    }
    return idle_.wait_for(lock, std::chrono::milliseconds(timeoutMs), done);
}

bool Stream::Idle() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return IdleLocked();
}

LaunchResult Stream::TakeFailure() {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(failure_, LaunchResult());
}

size_t Stream::DropQueuedTasks() {
    const auto isTask = [](const Item& item) { return item.task != nullptr; };
    const size_t before = queue_.size();
    queue_.erase(std::remove_if(queue_.begin(), queue_.end(), isTask), queue_.end());
    return before - queue_.size();
}

void Stream::Abort() {
    std::unique_lock<std::mutex> lock(mutex_);
    const bool wasRunning = running_;
    const size_t dropped = DropQueuedTasks();
    aborting_ = true;
    if (cancel_) {
        cancel_->store(true);
    }
    idle_.wait(lock, [this] { return IdleLocked(); });
    aborting_ = false;
    if (wasRunning || dropped > 0) {
        failure_.status = ACL_ERROR_RT_STREAM_ABORT;
        failure_.message = "the stream was aborted: " + std::string(wasRunning ? "1" : "0") +
                           " running and " + std::to_string(dropped) +
                           " queued tasks did not finish; launch them again if their results count";
    }
    idle_.notify_all();
}

void Stream::Stop(int patienceMs) {
    std::unique_lock<std::mutex> lock(mutex_);
    stop_ = true;
    DropQueuedTasks();
    if (cancel_) {
        cancel_->store(true);
    }
    wake_.notify_all();
    const auto ended = [this] { return ended_; };
    if (patienceMs < 0) {
        idle_.wait(lock, ended);
    } else if (!idle_.wait_for(lock, std::chrono::milliseconds(patienceMs), ended)) {
        return;
    }
    lock.unlock();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Stream::Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return stop_ || !queue_.empty(); });
        if (queue_.empty()) {
            break;
        }
        Item item = std::move(queue_.front());
        queue_.pop_front();
        RunItem(std::move(item), &lock);
        if (queue_.empty()) {
            idle_.notify_all();
        }
    }
    ended_ = true;
    idle_.notify_all();
}

void Stream::RunItem(Item item, std::unique_lock<std::mutex>* lock) {
    const LaunchResult before = failure_;
    if (item.task && before.status != kLaunchOk) {
        return;
    }
    const CancelFlag cancel = item.cancel;
    cancel_ = cancel;
    running_ = true;
    lock->unlock();
    LaunchResult result;
    try {
        if (item.task) {
            result = item.task(cancel);
        } else {
            item.always(before);
        }
    } catch (const std::bad_alloc&) {
        result.status = ACL_ERROR_RT_MEMORY_ALLOCATION;
        result.message = "T605 no memory";  // so short that it needs no allocation
    } catch (const std::exception& error) {
        result.status = ACL_ERROR_RT_INTERNAL_ERROR;
        result.message =
            std::string("a task of the stream ended with an exception: ") + error.what();
    }
    // Frees the objects of the task (kernel image, tensors) before another thread can see that the
    // task is done.
    item.task = nullptr;
    item.always = nullptr;
    lock->lock();
    running_ = false;
    cancel_ = nullptr;
    if (result.status != kLaunchOk && failure_.status == kLaunchOk) {
        failure_ = std::move(result);
    }
}

uint64_t Event::Record() {
    std::lock_guard<std::mutex> lock(mutex_);
    return ++recorded_;
}

uint64_t Event::Recorded() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return recorded_ > forgotten_ ? recorded_ : 0;
}

void Event::Complete(uint64_t generation, const LaunchResult& failure) {
    std::lock_guard<std::mutex> lock(mutex_);
    completed_ = std::max(completed_, generation);
    failure_ = failure;
    time_ = Clock::now();
    changed_.notify_all();
}

void Event::Reset(uint64_t generation) {
    std::lock_guard<std::mutex> lock(mutex_);
    forgotten_ = std::max(forgotten_, generation);
}

void Event::SetCapture(std::shared_ptr<Capture> capture) {
    std::lock_guard<std::mutex> lock(mutex_);
    capture_ = std::move(capture);
}

std::shared_ptr<Capture> Event::Captured() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return capture_ != nullptr && capture_->active ? capture_ : nullptr;
}

bool Event::Complete() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return recorded_ > forgotten_ && completed_ >= recorded_;
}

bool Event::Wait(uint64_t generation, int timeoutMs, const CancelFlag& cancel) {
    // An abort cannot signal this event. So the loop reads the cancel flag again and again, and
    // sleeps for a short time after each read.
    constexpr auto kPoll = std::chrono::milliseconds(10);
    const auto deadline = Clock::now() + std::chrono::milliseconds(std::max(timeoutMs, 0));
    const auto done = [&] { return completed_ >= generation; };
    std::unique_lock<std::mutex> lock(mutex_);
    if (timeoutMs >= 0) {
        return changed_.wait_until(lock, deadline, done);
    }
    if (cancel == nullptr) {
        changed_.wait(lock, done);
        return true;
    }
    while (!changed_.wait_for(lock, kPoll, done)) {
        if (cancel->load()) {
            return false;
        }
    }
    return true;
}

LaunchResult Event::Failure() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
}

Event::Clock::time_point Event::Time() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return time_;
}

}  // namespace twin::host
