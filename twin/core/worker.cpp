// SPDX-License-Identifier: Apache-2.0
#include "core/worker.h"

#include <cxxabi.h>

#include <algorithm>
#include <cfenv>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include "core/callers.h"
#include "core/core_output.h"
#include "core/formatted.h"
#include "core/scalar_counters.h"

namespace twin {
namespace {

thread_local Worker* tWorker = nullptr;
thread_local Core* tCore = nullptr;

/// Data of the C++ runtime about the exceptions that a thread is handling, in the ABI's layout.
/// A switch of tasks saves and restores these data, because the exceptions belong to the task.
struct Exceptions {
    void* caught;
    unsigned int uncaught;

    static Exceptions& OfThread() {
        return *reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
    }
};

/// Returns the worker of this thread. Not inlined: a yield may move the caller to a new thread, on
/// which `tWorker` has another address.
__attribute__((noinline)) Worker& CurrentWorker() {
    asm volatile("");
    return *tWorker;
}

/// The kind of exception that a kernel's function has thrown.
enum class Thrown : uint8_t { Nothing, NoMemory, Standard, Other };

/// Runs the kernel and returns which exception has left it. The exception is destroyed here,
/// because the code after this call may end the task without returning.
Thrown CallKernel(const LaunchSpec& spec, CoreKind kind, char* what, size_t whatBytes) {
    try {
        spec.image->CodeFor(kind)->call(spec.args.data());
    } catch (const std::bad_alloc&) {
        return Thrown::NoMemory;
    } catch (const std::exception& error) {
        std::snprintf(what, whatBytes, "%s", error.what());
        return Thrown::Standard;
    } catch (...) {
        return Thrown::Other;
    }
    return Thrown::Nothing;
}

/// Runs the kernel and ends the task; the first function on a task's stack.
void TaskMain() {
    Task* task = CurrentWorker().current.load(std::memory_order_relaxed);
    const LaunchSpec& spec = task->core.launch->spec;
    char what[512] = "it is not derived from std::exception";
    CurrentWorker().inTask.store(true);
    const Thrown thrown = CallKernel(spec, task->core.kind, what, sizeof(what));
    if (thrown == Thrown::NoMemory) {
        Fail("T605", "no memory: this machine has none left for what the kernel or the twin needs");
    }
    if (thrown != Thrown::Nothing) {
        Fail("T506", "C++ exception left the kernel: %s", what);
    }
    for (CoreRecorder* const recorder : task->core.state->recorders) {
        recorder->OnReturn(task->core);
    }
    task->core.CheckAtEnd();
    for (CoreRecorder* const recorder : task->core.state->recorders) {
        recorder->OnSuccess();
    }
    Worker& worker = CurrentWorker();
    worker.inTask.store(false);
    task->state = TaskState::Done;
    setcontext(&worker.scheduler);
}

void Prepare(Task& task, LaunchState& launch) {
    task.storage->Poison(launch.spec.localPoison);
    getcontext(&task.context);
    task.context.uc_stack.ss_sp = task.storage->stack.Base();
    task.context.uc_stack.ss_size = Stack::Bytes();
    task.context.uc_link = nullptr;
    makecontext(&task.context, TaskMain, 0);
    for (const auto& observer : launch.observers) {
        task.core.state->recorders.push_back(
            observer->Recorder(task.core.blockIdx, task.core.subBlockIdx, task.core.kind));
        task.core.recording = true;
    }
}

/// Returns the Exceptions of this thread. Not inlined: a yield may move the caller to a new thread.
__attribute__((noinline)) Exceptions& ExceptionsHere() {
    asm volatile("");
    return Exceptions::OfThread();
}

/// Switches to the scheduler; returns when the scheduler resumes the task.
void SwitchOut(Task& task, TaskState state) {
    Worker& before = CurrentWorker();
    before.inTask.store(false);
    task.state = state;
    const Exceptions own = Exceptions::OfThread();
    swapcontext(&task.context, &before.scheduler);
    ExceptionsHere() = own;
    CurrentWorker().inTask.store(true);
}

/// Returns true if a waiting task may go on. A task that waits for a value in memory that no longer
/// exists goes on, too, and reports the error itself.
bool MayGoOn(const Task& task) {
    bool may = false;
    MemoryFault fault;
    return !Contained([&] { may = task.wakeUp(); }, &fault) || may;
}

/// Finds a task that can go on, preferably one that this worker ran last: its memories are in this
/// processor's cache. While a new block can start, returns no polling task, but sets `*polling`.
Task* FindReady(LaunchState& launch, const Worker* worker, Task** polling) {
    Task* other = nullptr;
    for (const auto& entry : launch.tasks) {
        Task* task = entry.get();
        if (task->running || (task->worker != worker && other != nullptr) ||
            (task->state == TaskState::Waiting && !MayGoOn(*task))) {
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

/// Puts the task at the end of the list, so that all tasks get their turn.
void MoveToEnd(LaunchState& launch, const Task* task) {
    for (auto it = launch.tasks.begin(); it != launch.tasks.end(); ++it) {
        if (it->get() == task) {
            launch.tasks.splice(launch.tasks.end(), launch.tasks, it);
            return;
        }
    }
}

}  // namespace

Worker* ThisWorker() { return tWorker; }

Core* SelfOrNull() { return tCore; }

ScalarWork& ScalarCounters() {
    // Code of the kernel's source may also run on the host, where nobody reads the counts.
    static thread_local ScalarWork ignored;
    return tCore != nullptr ? tCore->scalarWork : ignored;
}

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

namespace {

/// Stores the line of the message that names the caller of the function that contains the wrong
/// call; empty if there is no such line.
void NoteCaller(Worker* worker) {
    worker->calledAt.clear();
    if (tCore == nullptr || tCore->where.line == 0) {
        return;
    }
    try {
        const Location caller = CallerInAnotherFile(*tCore);
        if (caller.line != 0) {
            worker->calledAt =
                std::string("\n  called at ") + caller.file + ":" + std::to_string(caller.line);
        }
    } catch (const std::bad_alloc&) {
        worker->calledAt.clear();  // the message is complete without the caller
    }
}

/// Implements Fail. The function leaves the task without destroying objects on the task's stack.
/// Therefore it builds the message in a string of the worker.
[[noreturn]] void FailWith(const char* code, const char* format, va_list arguments) {
    Worker* worker = tWorker;
    if (worker == nullptr || worker->current.load(std::memory_order_relaxed) == nullptr) {
        throw std::logic_error(std::string(code) + " " + Formatted(format, arguments));
    }
    std::string& error = worker->errorText;
    error.assign(code).append(" ");
    const size_t begin = error.size();
    AppendFormatted(&error, format, arguments);
    if (tCore != nullptr) {
        for (CoreRecorder* const recorder : tCore->state->recorders) {
            recorder->OnFailure(code, error.c_str() + begin);
        }
    }
    NoteCaller(worker);
    worker->Leave(Escape::Error);
}

}  // namespace

void Fail(const char* code, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    FailWith(code, format, arguments);
}

void FailOrNote(const char* code, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const Core& core = Self();
    if (!core.judged) {
        FailWith(code, format, arguments);
    }
    const std::string text = Formatted(format, arguments);
    va_end(arguments);
    for (CoreRecorder* const recorder : core.state->recorders) {
        recorder->OnMistake(code, text.c_str());
    }
}

void WaitUntil(Core& core, std::function<bool()> wakeUp, std::string waitsFor,
               std::function<std::vector<Awaited>()> awaited) {
    {
        const std::lock_guard<std::mutex> lock(core.launch->mutex);
        if (wakeUp()) {
            return;
        }
    }
    Task& task = *core.task;
    task.wakeUp = std::move(wakeUp);
    task.waitsFor = std::move(waitsFor);
    task.awaited = std::move(awaited);
    SwitchOut(task, TaskState::Waiting);
}

void Yield(Core& core) {
    core.task->polling = true;
    SwitchOut(*core.task, TaskState::Ready);
    core.task->polling = false;
}

Task* Worker::StartNext(LaunchState& launch) {
    std::unique_ptr<Task> task =
        launch.MakeTask(IdleStorages::Instance().Take(launch.soc, launch.NextKind(), this));
    Prepare(*task, launch);
    return launch.Start(std::move(task));
}

Task* Worker::Pick(LaunchState& launch, std::unique_lock<std::mutex>& lock) {
    for (;;) {
        if (launch.Over()) {
            return nullptr;
        }
        if (!launch.stop.Get()) {
            Task* polling = nullptr;
            Task* task = FindReady(launch, this, &polling);
            if (task == nullptr && launch.CanStart()) {
                task = StartNext(launch);
            }
            task = task != nullptr ? task : polling;
            if (task != nullptr) {
                MoveToEnd(launch, task);
                task->running = true;
                task->worker = this;
                return task;
            }
            if (++launch.idle == launch.workers) {
                launch.ResolveStandstill();
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
    // A request that ends the whole launch may come while the worker switches from one task to the
    // next task. The request then ends the next task.
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
    const Escape missed = request.load();
    if (task.state == TaskState::Done &&
        (missed == Escape::NoInstruction || missed == Escape::NoProgress)) {
        // The signal of the request has ended a sleeping call, and the kernel has returned before
        // the request was checked. The kernel has exceeded its time limit nevertheless.
        escape = missed;
        task.state = TaskState::Failed;
    }
    Exceptions::OfThread() = Exceptions{nullptr, 0};
    tCore = nullptr;
}

void Worker::Settle(LaunchState& launch, Task& task) {
    task.running = false;
    if (task.state == TaskState::Ready || task.state == TaskState::Waiting) {
        return;
    }
    try {
        if (task.state == TaskState::Failed && escape != Escape::Cancelled) {
            const bool timeLimit = escape == Escape::NoInstruction || escape == Escape::NoProgress;
            launch.AddFailure(task.core, timeLimit, DescribeEscape(task));
        }
        launch.KeepAtomics(task.core);
        IdleStorages::Instance().Give(std::move(task.storage), this);
    } catch (const std::exception&) {
        launch.outOfMemory = true;
        launch.End();
    }
    launch.gmReadBytes += task.core.gmReadBytes;
    launch.gmWriteBytes += task.core.gmWriteBytes;
    if (launch.spec.computed != nullptr) {
        launch.spec.computed->fetch_or(task.core.computed, std::memory_order_relaxed);
    }
    launch.live.remove(&task);
    launch.NoteEnd(task.core);
    const auto ended = std::find_if(launch.tasks.begin(), launch.tasks.end(),
                                    [&task](const auto& entry) { return entry.get() == &task; });
    launch.tasks.erase(ended);
}

void Worker::Run(LaunchState& launch) {
    tWorker = this;
    request.store(Escape::None);  // a request for an earlier launch must not affect this one
    // The rounding mode of the thread that has created this thread must not affect kernels: the
    // same inputs give the same bits.
    std::fesetenv(FE_DFL_ENV);
    std::unique_lock<std::mutex> lock(launch.mutex);
    for (;;) {
        Task* task = nullptr;
        try {
            task = Pick(launch, lock);
        } catch (const std::exception&) {
            launch.outOfMemory = true;
            launch.End();
            continue;
        }
        if (task == nullptr) {
            break;
        }
        ++launch.running;
        lock.unlock();
        Resume(*task);
        lock.lock();
        --launch.running;
        Settle(launch, *task);
        if (launch.abandoned) {
            break;
        }
        if (launch.Over()) {
            launch.NoteChange();
        }
    }
    tWorker = nullptr;
}

}  // namespace twin
