// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <ucontext.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/launch_state.h"

namespace twin {

/// The reason why a task has ended before its kernel returned.
enum class Escape : uint8_t { None, NoInstruction, NoProgress, Cancelled, Signal, Error };

/// A thread that runs tasks. A task that has yielded may continue on another worker, so no code may
/// keep the address of a thread-local variable while the task yields.
class Worker {
public:
    // Reserves room for a message, so that the report of a lack of memory needs no allocation.
    Worker() { errorText.reserve(kMessageBytes); }

    static constexpr size_t kMessageBytes = 2200;

    /// Runs tasks of `launch` until it is over.
    void Run(LaunchState& launch);

    // --- read by signal handlers and the watchdog ---
    std::atomic<Task*> current{nullptr};
    /// True while the task's code, or code that it has called, runs. While contexts are switched,
    /// signal handlers cannot end the task and do nothing; the watchdog repeats its request.
    std::atomic<bool> inTask{false};
    ucontext_t scheduler = {};
    /// Reason for which the watchdog wants the task to end.
    std::atomic<Escape> request{Escape::None};
    Escape escape = Escape::None;  ///< reason why the running task ended
    int signalNumber = 0;
    const void* faultAddress = nullptr;
    std::string errorText;  ///< error message, if `escape` is Escape::Error
    std::string calledAt;   ///< line of the message that names the caller of a helper function
    pthread_t thread = {};
    /// CPU time that dumps took on this thread. It does not count for the time limits of kernels.
    std::atomic<uint64_t> recordingNs{0};

    /// Returns the code of the kernel that the running task runs.
    const KernelCode& Code() const { return current.load()->core.launch->spec.image->Code(); }
    /// Ends the running task and continues in the scheduler. Async-signal-safe.
    [[noreturn]] void Leave(Escape why);

private:
    Task* Pick(LaunchState& launch, std::unique_lock<std::mutex>& lock);
    Task* StartNext(LaunchState& launch);
    void Resume(Task& task);
    void Settle(LaunchState& launch, Task& task);
    std::string DescribeEscape(const Task& task) const;
    std::string DescribeSignal(const Task& task) const;
};

/// Returns the worker on this thread, or nullptr.
Worker* ThisWorker();

/// Returns the error for a task that should end, but does not return from a call outside of the
/// kernel's code.
std::string DescribeStranded(const Task& task);

/// Runs `launch` on up to `count` pool threads; returns when the launch is over. The calling thread
/// is the watchdog. Throws if the machine gives no thread at all.
void RunOnWorkers(LaunchState& launch, uint32_t count);

/// Installs signal handlers, so that a fault inside a task ends the task, not the process. May be
/// called again.
void InstallFaultHandlers();
/// Returns the signal that the watchdog sends to a worker whose task must end.
int EscapeSignal();

}  // namespace twin
