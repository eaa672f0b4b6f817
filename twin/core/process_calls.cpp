// SPDX-License-Identifier: Apache-2.0
// A kernel is foreign code in the user's process. If the kernel calls exit(0), the process would
// end with a status that means success, although the kernel has not finished. The linker (--wrap)
// makes kernels call the functions below instead of the C library's. Inside a kernel, these
// functions end the kernel's task with an error. For host code in the same library, they call the
// C library.
#include "core/process_calls.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/core.h"
#include "core/source_line.h"
#include "core/worker.h"

namespace twin {
namespace {

/// Ends the task that runs on this thread. The error names the call, its line, and what it would do
/// to the process. Returns if no kernel runs on this thread.
void RefuseInKernel(const std::string& call, const char* effect, const void* returnAddress) {
    Core* const core = SelfOrNull();
    if (core == nullptr) {
        return;
    }
    // The instruction before the return address is the call.
    const Location line = SourceLineOf(static_cast<const char*>(returnAddress) - 1);
    if (line.line != 0) {
        core->where = line;
    }
    Fail("T513",
         "process call: the kernel called %s, which would %s the process that has launched it%s\n"
         "  try: return from the kernel; a card has no processes",
         call.c_str(), effect, line.line != 0 ? "" : "; the last Ascend C call before it was");
}

/// Returns the core whose kernel runs on this thread; nullptr if no kernel runs.
const Core* CoreThatCalls() {
    const Worker* const worker = ThisWorker();
    return worker != nullptr && worker->inTask.load() ? SelfOrNull() : nullptr;
}

void OnExit() {
    if (const Core* const core = CoreThatCalls()) {
        SayProcessEnds(*core,
                       "T513 process call: a kernel has called exit() in code of another library, "
                       "so this process ends; its status is 1");
        _exit(EXIT_FAILURE);
    }
}

/// Runs in the new process after a fork. The new process has only this thread.
void OnForked() {
    if (const Core* const core = CoreThatCalls()) {
        SayProcessEnds(*core,
                       "T513 process call: a kernel has called fork() in code of another library; "
                       "the new process ends");
        _exit(EXIT_FAILURE);
    }
}

/// Returns true for a signal that means a fault of the kernel's code; these have other errors.
bool IsFault(int signalNumber) {
    static constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    return std::find(std::begin(kFaults), std::end(kFaults), signalNumber) != std::end(kFaults);
}

/// Returns true for a system call that ends, signals, copies or replaces a process.
bool IsProcessCall(long number) {
    static constexpr long kCalls[] = {
        SYS_exit,   SYS_exit_group, SYS_kill,   SYS_tkill,
        SYS_tgkill, SYS_clone,      SYS_execve, SYS_execveat,
#ifdef SYS_clone3
        SYS_clone3,
#endif
#ifdef SYS_fork  // aarch64 has neither
        SYS_fork,   SYS_vfork,
#endif
    };
    return std::find(std::begin(kCalls), std::end(kCalls), number) != std::end(kCalls);
}

/// The arguments of a call such as execl: texts, and a null pointer after the last one.
class ArgumentList {
public:
    ArgumentList(const char* first, va_list* rest) : words_{const_cast<char*>(first)} {
        while (words_.back() != nullptr) {
            words_.push_back(va_arg(*rest, char*));
        }
    }
    char* const* Words() const { return words_.data(); }

private:
    std::vector<char*> words_;
};

}  // namespace

void SayProcessEnds(const Core& core, const char* what) {
    char text[512];
    const bool known = core.where.line != 0;
    const int length = std::snprintf(
        text, sizeof(text), "cannery: %s\n  at %s:%u, the last Ascend C call before it\n", what,
        known ? core.where.file : "the kernel's start", core.where.line);
    const auto said = write(STDERR_FILENO, text, std::min<size_t>(length, sizeof(text) - 1));
    static_cast<void>(said);
}

void WatchProcessCalls() {
    static const bool watched = [] {
        std::atexit(OnExit);
        std::at_quick_exit(OnExit);
        pthread_atfork(nullptr, nullptr, OnForked);
        return true;
    }();
    static_cast<void>(watched);
}

}  // namespace twin

#define TWIN_REFUSE_IN_KERNEL(call, effect) \
    twin::RefuseInKernel(call, effect, __builtin_return_address(0))

extern "C" {

[[noreturn]] TWIN_API void __wrap_exit(int status) {
    TWIN_REFUSE_IN_KERNEL("exit(" + std::to_string(status) + ")", "end");
    exit(status);
}

[[noreturn]] TWIN_API void __wrap__exit(int status) {
    TWIN_REFUSE_IN_KERNEL("_exit(" + std::to_string(status) + ")", "end");
    _exit(status);
}

[[noreturn]] TWIN_API void __wrap__Exit(int status) {
    TWIN_REFUSE_IN_KERNEL("_Exit(" + std::to_string(status) + ")", "end");
    _Exit(status);
}

[[noreturn]] TWIN_API void __wrap_quick_exit(int status) {
    TWIN_REFUSE_IN_KERNEL("quick_exit(" + std::to_string(status) + ")", "end");
    quick_exit(status);
}

[[noreturn]] TWIN_API void __wrap_pthread_exit(void* result) {
    TWIN_REFUSE_IN_KERNEL("pthread_exit()", "end a thread of");
    pthread_exit(result);
}

TWIN_API int __wrap_daemon(int keepFolder, int keepFiles) {
    TWIN_REFUSE_IN_KERNEL("daemon()", "copy and end");
    return daemon(keepFolder, keepFiles);
}

TWIN_API pid_t __wrap_fork() {
    TWIN_REFUSE_IN_KERNEL("fork()", "copy");
    return fork();
}

/// Host code gets a fork: after a vfork, the new process must not return from the function that
/// called vfork.
TWIN_API pid_t __wrap_vfork() {
    TWIN_REFUSE_IN_KERNEL("vfork()", "copy");
    return fork();
}

TWIN_API int __wrap_system(const char* command) {
    TWIN_REFUSE_IN_KERNEL("system()", "start a program beside");
    // NOLINTNEXTLINE(bugprone-command-processor): host code may call it
    return system(command);
}

TWIN_API FILE* __wrap_popen(const char* command, const char* mode) {
    TWIN_REFUSE_IN_KERNEL("popen()", "start a program beside");
    // NOLINTNEXTLINE(bugprone-command-processor): host code may call it
    return popen(command, mode);
}

TWIN_API int __wrap_raise(int signalNumber) {
    if (!twin::IsFault(signalNumber)) {
        TWIN_REFUSE_IN_KERNEL("raise(" + std::to_string(signalNumber) + ")", "send a signal to");
    }
    return raise(signalNumber);
}

TWIN_API int __wrap_kill(pid_t process, int signalNumber) {
    TWIN_REFUSE_IN_KERNEL("kill()", "send a signal to");
    return kill(process, signalNumber);
}

TWIN_API long __wrap_syscall(long number, ...) {
    if (twin::IsProcessCall(number)) {
        TWIN_REFUSE_IN_KERNEL("syscall(" + std::to_string(number) + ")", "end, copy or replace");
    }
    long words[6];
    va_list rest;
    va_start(rest, number);
    for (long& word : words) {
        word = va_arg(rest, long);
    }
    va_end(rest);
    return syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

TWIN_API int __wrap_execv(const char* path, char* const* words) {
    TWIN_REFUSE_IN_KERNEL("execv()", "replace");
    return execv(path, words);
}

TWIN_API int __wrap_execvp(const char* program, char* const* words) {
    TWIN_REFUSE_IN_KERNEL("execvp()", "replace");
    return execvp(program, words);
}

TWIN_API int __wrap_execve(const char* path, char* const* words, char* const* environment) {
    TWIN_REFUSE_IN_KERNEL("execve()", "replace");
    return execve(path, words, environment);
}

TWIN_API int __wrap_execvpe(const char* program, char* const* words, char* const* environment) {
    TWIN_REFUSE_IN_KERNEL("execvpe()", "replace");
    return execvpe(program, words, environment);
}

TWIN_API int __wrap_fexecve(int file, char* const* words, char* const* environment) {
    TWIN_REFUSE_IN_KERNEL("fexecve()", "replace");
    return fexecve(file, words, environment);
}

TWIN_API int __wrap_execl(const char* path, const char* first, ...) {
    TWIN_REFUSE_IN_KERNEL("execl()", "replace");
    va_list rest;
    va_start(rest, first);
    const twin::ArgumentList list(first, &rest);
    va_end(rest);
    return execv(path, list.Words());
}

TWIN_API int __wrap_execlp(const char* program, const char* first, ...) {
    TWIN_REFUSE_IN_KERNEL("execlp()", "replace");
    va_list rest;
    va_start(rest, first);
    const twin::ArgumentList list(first, &rest);
    va_end(rest);
    return execvp(program, list.Words());
}

TWIN_API int __wrap_execle(const char* path, const char* first, ...) {
    TWIN_REFUSE_IN_KERNEL("execle()", "replace");
    va_list rest;
    va_start(rest, first);
    const twin::ArgumentList list(first, &rest);
    char* const* const environment = va_arg(rest, char* const*);
    va_end(rest);
    return execve(path, list.Words(), environment);
}

}  // extern "C"
