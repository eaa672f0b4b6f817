// SPDX-License-Identifier: Apache-2.0
// A kernel is foreign code in the user's process: when it faults, only its task may end. The
// handlers below act on faults of a worker that is inside a task and hand everything else to
// whoever was installed before (Python's faulthandler, a sanitizer, the default action).
#include <signal.h>

#include <mutex>

#include "core/worker.h"

namespace twin {
namespace {

constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int kSignalLimit = 65;
struct sigaction gPrevious[kSignalLimit];

void Chain(int number, siginfo_t* info, void* context) {
    const struct sigaction& previous = gPrevious[number];
    if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    } else if (previous.sa_handler == SIG_DFL) {
        sigaction(number, &previous, nullptr);
        raise(number);
    }
}

void OnFault(int number, siginfo_t* info, void* context) {
    Worker* worker = ThisWorker();
    if (worker == nullptr || !worker->inTask.load()) {
        Chain(number, info, context);
        return;
    }
    worker->signalNumber = number;
    worker->faultAddress = info->si_addr;
    worker->Leave(Escape::Signal);
}

void OnEscape(int number, siginfo_t* info, void* context) {
    Worker* worker = ThisWorker();
    if (worker == nullptr) {
        Chain(number, info, context);
        return;
    }
    const Escape why = worker->request.load(std::memory_order_acquire);
    // The task may have ended while the signal was on its way.
    if (why != Escape::None && worker->inTask.load()) {
        worker->request.store(Escape::None);
        worker->Leave(why);
    }
}

void Install(int number, void (*handler)(int, siginfo_t*, void*)) {
    struct sigaction now = {};
    sigaction(number, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handler) {
        return;
    }
    gPrevious[number] = now;
    struct sigaction ours = {};
    ours.sa_sigaction = handler;
    // SA_NODEFER: the handler leaves by setcontext, which restores the mask of the scheduler.
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    sigaction(number, &ours, nullptr);
}

}  // namespace

int EscapeSignal() { return SIGRTMAX - 7; }

void InstallFaultHandlers() {
    // Asked before every launch: another library may have replaced a handler since.
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    for (const int number : kFaults) {
        Install(number, OnFault);
    }
    Install(EscapeSignal(), OnEscape);
}

}  // namespace twin
