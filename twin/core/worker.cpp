// SPDX-License-Identifier: Apache-2.0
#include "core/worker.h"

#include <algorithm>
#include <cfenv>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace twin {
namespace {

thread_local Worker* tWorker = nullptr;
thread_local Core* tCore = nullptr;

/// Not inlined: a caller that has given way in between may be on another thread, and must not reuse
/// the first thread's address of the variable.
__attribute__((noinline)) Worker& CurrentWorker() {
    asm volatile("");
    return *tWorker;
}

/// First frame on a task's stack.
void TaskMain() {
    Task* task = CurrentWorker().current.load(std::memory_order_relaxed);
    const LaunchSpec& spec = task->core.launch->spec;
    CurrentWorker().inTask.store(true);
    try {
        spec.image->Binary().call(spec.args.data());
    } catch (const std::exception& error) {
        Fail("T506", "C++ exception left the kernel: %s", error.what());
    } catch (...) {
        Fail("T506", "C++ exception left the kernel: it is not derived from std::exception");
    }
    task->core.CheckAtEnd();
    Worker& worker = CurrentWorker();
    worker.inTask.store(false);
    task->state = TaskState::Done;
    setcontext(&worker.scheduler);
}

void Prepare(Task& task, LaunchState& launch) {
    task.storage->Poison();
    getcontext(&task.context);
    task.context.uc_stack.ss_sp = task.storage->stack.Base();
    task.context.uc_stack.ss_size = Stack::Bytes();
    task.context.uc_link = nullptr;
    makecontext(&task.context, TaskMain, 0);
    for (const auto& observer : launch.observers) {
        task.core.recorders.push_back(
            observer->Recorder(task.core.blockIdx, task.core.subBlockIdx, task.core.kind));
    }
}

}  // namespace

Worker* ThisWorker() { return tWorker; }

Core* SelfOrNull() { return tCore; }

Core& Self() {
    if (__builtin_expect(tCore == nullptr, 0)) {
        throw std::logic_error(
            "T603 an Ascend C call outside a kernel: launch the kernel instead of calling it");
    }
    return *tCore;
}

void Worker::Leave(Escape why) {
    inTask.store(false);
    escape = why;
    current.load(std::memory_order_relaxed)->state = TaskState::Failed;
    setcontext(&scheduler);
    __builtin_unreachable();
}

void Fail(const char* code, const char* format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    Worker* worker = tWorker;
    if (worker == nullptr || worker->current.load(std::memory_order_relaxed) == nullptr) {
        throw std::logic_error(std::string(code) + " " + text);
    }
    worker->errorText.assign(code).append(" ").append(text);
    worker->Leave(Escape::Error);
}

namespace {

/// Back to the scheduler until it resumes the task.
void SwitchOut(Task& task, TaskState state) {
    Worker& before = CurrentWorker();
    before.inTask.store(false);
    task.state = state;
    swapcontext(&task.context, &before.scheduler);
    CurrentWorker().inTask.store(true);
}

}  // namespace

void WaitUntil(Core& core, std::function<bool()> wakeUp, std::string waitsFor) {
    Task& task = *core.task;
    task.wakeUp = std::move(wakeUp);
    task.waitsFor = std::move(waitsFor);
    SwitchOut(task, TaskState::Waiting);
}

void Yield(Core& core) {
    core.task->polling = true;
    SwitchOut(*core.task, TaskState::Ready);
    core.task->polling = false;
}

std::unique_ptr<CoreStorage> Worker::TakeStorage(const LaunchState& launch) {
    const CoreKind kind = launch.NextKind();
    const auto fits = std::find_if(storages_.begin(), storages_.end(),
                                   [kind](const auto& storage) { return storage->kind == kind; });
    if (fits == storages_.end()) {
        return std::make_unique<CoreStorage>(launch.soc, kind);
    }
    std::unique_ptr<CoreStorage> storage = std::move(*fits);
    storages_.erase(fits);
    return storage;
}

namespace {

/// A task that can go on: one that this worker ran last, because its memories are in this
/// processor's cache, else any. Tasks that only poll come after blocks that have not started.
Task* FindReady(LaunchState& launch, const Worker* worker, Task** polling) {
    Task* other = nullptr;
    for (const auto& entry : launch.tasks) {
        Task* task = entry.get();
        if (task->running || (task->worker != worker && other != nullptr) ||
            (task->state == TaskState::Waiting && !task->wakeUp())) {
            continue;
        }
        if (task->polling && launch.CanStart()) {
            *polling = task;
        } else if (task->worker == worker) {
            return task;
        } else {
            other = task;
        }
    }
    return other;
}

/// Behind the others, so that all get their turn.
void MoveToEnd(LaunchState& launch, const Task* task) {
    for (auto it = launch.tasks.begin(); it != launch.tasks.end(); ++it) {
        if (it->get() == task) {
            launch.tasks.splice(launch.tasks.end(), launch.tasks, it);
            return;
        }
    }
}

}  // namespace

Task* Worker::Pick(LaunchState& launch, std::unique_lock<std::mutex>& lock) {
    for (;;) {
        if (launch.Over()) {
            return nullptr;
        }
        if (!launch.failed && !launch.stop) {
            Task* polling = nullptr;
            Task* task = FindReady(launch, this, &polling);
            if (task == nullptr && launch.CanStart()) {
                launch.tasks.push_back(launch.NextTask(TakeStorage(launch)));
                task = launch.tasks.back().get();
                Prepare(*task, launch);
            }
            task = task != nullptr ? task : polling;
            if (task != nullptr) {
                MoveToEnd(launch, task);
                task->running = true;
                task->worker = this;
                return task;
            }
            if (++launch.idle == launch.workers) {
                launch.ReportDeadlock();
                launch.NoteChange();
                continue;
            }
        }
        const uint64_t seen = launch.epoch;
        launch.changed.wait(lock,
                            [&launch, seen] { return launch.epoch != seen || launch.Over(); });
    }
}

void Worker::Resume(Task& task) {
    tCore = &task.core;
    escape = Escape::None;
    // What the whole launch was asked to end for also meets a task between two of its turns; a task
    // that polls spends most of its time there.
    const Escape asked = request.exchange(Escape::None);
    if (asked == Escape::NoProgress || asked == Escape::Cancelled) {
        escape = asked;
        task.state = TaskState::Failed;
        tCore = nullptr;
        return;
    }
    current.store(&task, std::memory_order_release);
    task.state = TaskState::Ready;
    swapcontext(&scheduler, &task.context);
    current.store(nullptr, std::memory_order_release);
    tCore = nullptr;
}

std::string Worker::DescribeEscape(const Task& task) const {
    const std::string place = DescribePlace(task.core);
    switch (escape) {
        case Escape::Error: {
            // The way out, where the message has one, reads best after the place.
            const size_t way = errorText.find("\n  try: ");
            return way == std::string::npos
                       ? errorText + place
                       : errorText.substr(0, way) + place + errorText.substr(way);
        }
        case Escape::Signal:
            break;
        case Escape::NoInstruction:
            return "T507 timeout: no instruction was issued for CANNERY_TIMEOUT_S seconds; the "
                   "last one is" +
                   place +
                   "\n  try: look for a scalar loop that never ends after this line, or raise the "
                   "timeout";
        case Escape::NoProgress:
            return "T508 endless loop: instructions are issued, but nothing new is read, written "
                   "or finished;"
                   " the last one is" +
                   place +
                   "\n  try: check the loop's exit condition; a polled value must be written by a "
                   "core that still runs";
        default:
            return "T509 cancelled" + place;
    }
    char text[160];
    if (signalNumber == SIGSEGV && task.storage->stack.InGuard(faultAddress)) {
        std::snprintf(text, sizeof(text), "T502 stack overflow: the kernel's frames exceed %zu KiB",
                      Stack::Bytes() >> 10);
    } else if (signalNumber == SIGSEGV || signalNumber == SIGBUS) {
        std::snprintf(
            text, sizeof(text),
            "T501 segmentation fault: the kernel touched host address %p by a raw pointer",
            faultAddress);
    } else if (signalNumber == SIGFPE) {
        std::snprintf(text, sizeof(text),
                      "T503 arithmetic trap: an integer division by zero or its like");
    } else if (signalNumber == SIGILL) {
        std::snprintf(text, sizeof(text),
                      "T504 illegal instruction: a trap or an unreachable place was reached");
    } else {
        std::snprintf(text, sizeof(text),
                      "T505 abort: the kernel called abort() or an assert failed");
    }
    return std::string(text) + "; the last Ascend C call before it is" + place;
}

void Worker::Settle(LaunchState& launch, Task& task) {
    task.running = false;
    if (task.state == TaskState::Ready || task.state == TaskState::Waiting) {
        return;
    }
    if (task.state == TaskState::Failed && escape != Escape::Cancelled) {
        launch.AddFailure(task.core, DescribeEscape(task));
    }
    launch.gmReadBytes += task.core.gmReadBytes;
    launch.gmWriteBytes += task.core.gmWriteBytes;
    launch.KeepAtomics(task.core);
    --launch.active;
    ++launch.finished;
    launch.live.remove(&task);
    storages_.push_back(std::move(task.storage));
    const auto ended = std::find_if(launch.tasks.begin(), launch.tasks.end(),
                                    [&task](const auto& entry) { return entry.get() == &task; });
    launch.tasks.erase(ended);
    launch.NoteChange();
}

void Worker::Run(LaunchState& launch) {
    tWorker = this;
    request.store(Escape::None);  // nothing of an earlier launch may reach this one
    // The creator's rounding or flush-to-zero modes must not reach kernels: same inputs, same bits.
    std::fesetenv(FE_DFL_ENV);
    std::unique_lock<std::mutex> lock(launch.mutex);
    while (Task* task = Pick(launch, lock)) {
        ++launch.running;
        lock.unlock();
        Resume(*task);
        lock.lock();
        --launch.running;
        Settle(launch, *task);
        if (launch.Over()) {
            launch.NoteChange();
        }
    }
    tWorker = nullptr;
}

}  // namespace twin
