// SPDX-License-Identifier: Apache-2.0
// A kernel is foreign code in the user's process: when it faults, only its task may end. The signal
// handlers below handle the faults of a worker that is inside a task. They pass all other faults to
// the handler that was installed before (Python's faulthandler, a sanitizer, the default action).
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

#include "core/core_output.h"
#include "core/core_state.h"
#include "core/process_calls.h"
#include "core/types.h"
#include "core/worker.h"

namespace twin {
namespace {

constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
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

uintptr_t ProgramCounter(const void* context) {
    const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#else
    return static_cast<uintptr_t>(machine.pc);
#endif
}

/// Goes on behind a division that has no result, as the chip does. Quotient and remainder become
/// -1. Returns false if this is not possible.
bool PassDivision(void* context) {
#if defined(__x86_64__)
    mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
    const auto* code = reinterpret_cast<const uint8_t*>(machine.gregs[REG_RIP]);
    const uint8_t* at = code;
    while (*at == 0x66 || (*at & 0xF0U) == 0x40) {  // operand size, REX
        ++at;
    }
    const uint8_t opcode = *at++;
    const uint8_t operand = *at++;
    if ((opcode != 0xF6 && opcode != 0xF7) || (operand & 0x30U) != 0x30) {  // div and idiv
        return false;
    }
    const uint32_t mode = operand >> 6;
    const bool scaled = mode != 3 && (operand & 7U) == 4;
    const uint32_t base = scaled ? *at++ & 7U : operand & 7U;
    at += mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0;
    const bool byte = opcode == 0xF6;  // quotient and remainder are the halves of AX
    machine.gregs[REG_RAX] = byte ? machine.gregs[REG_RAX] | 0xFFFF : -1;
    machine.gregs[REG_RDX] = byte ? machine.gregs[REG_RDX] : -1;
    machine.gregs[REG_RIP] += at - code;
    return true;
#else
    static_cast<void>(context);
    return false;  // the processor does not stop either
#endif
}

/// Ends the running task if the watchdog has requested this. Call the function only inside the
/// kernel's own code, where the task holds no lock of the C library or of the twin.
void LeaveIfAsked(Worker& worker) {
    const Escape why = worker.request.load(std::memory_order_acquire);
    if (why != Escape::None) {
        worker.request.store(Escape::None);
        worker.Leave(why);
    }
}

/// Waits until the kernel's code is executable again. The watchdog has made the code not executable
/// to end a task. If this worker runs that task, ends the task.
void WaitForOpenCode(Worker& worker, const KernelCode& code) {
    constexpr timespec kPause = {0, 200000};
    do {
        LeaveIfAsked(worker);
        nanosleep(&kPause, nullptr);
    } while (code.Closed());
}

/// Searches the call stack, up to the kernel, for a function of the C library's allocator.
struct AllocatorSearch {
    const KernelCode& code;
    bool found = false;

    static _Unwind_Reason_Code Look(_Unwind_Context* frame, void* search) {
        using Function = void (*)();
        static const Function kAllocator[] = {
            reinterpret_cast<Function>(&free), reinterpret_cast<Function>(&malloc),
            reinterpret_cast<Function>(&calloc), reinterpret_cast<Function>(&realloc)};
        auto& self = *static_cast<AllocatorSearch*>(search);
        const auto start = reinterpret_cast<Function>(_Unwind_GetRegionStart(frame));
        self.found =
            std::find(std::begin(kAllocator), std::end(kAllocator), start) != std::end(kAllocator);
        return self.found || self.code.Contains(_Unwind_GetIP(frame)) ? _URC_NORMAL_STOP
                                                                      : _URC_NO_REASON;
    }
};

/// Returns true if the fault is in the allocator, because the kernel has destroyed the heap. The
/// allocator still holds its lock, so the process must end: the next allocation would never return.
bool HeapIsLost(const Worker& worker, uintptr_t place) {
    AllocatorSearch search{worker.Code()};
    MemoryFault fault;
    if (!search.code.Contains(place)) {
        Contained([&search] { _Unwind_Backtrace(&AllocatorSearch::Look, &search); }, &fault);
    }
    return search.found;
}

void OnFault(int number, siginfo_t* info, void* context) {
    LeaveContained(number, info->si_addr);
    Worker* worker = ThisWorker();
    if (worker == nullptr || !worker->inTask.load()) {
        Chain(number, info, context);
        return;
    }
    const uintptr_t place = ProgramCounter(context);
    const KernelCode& code = worker->Code();
    if (number == SIGSEGV && place == reinterpret_cast<uintptr_t>(info->si_addr) &&
        code.Contains(place)) {
        WaitForOpenCode(*worker, code);
        return;
    }
    Core& core = worker->current.load()->core;
    if (number == SIGFPE && code.Contains(place) && !core.pedantic && PassDivision(context)) {
        core.launch->NoteDivision(core);
        return;
    }
    if (HeapIsLost(*worker, place)) {
        SayProcessEnds(core,
                       "a kernel has destroyed the heap of this process, which ends: memory freed "
                       "twice, or bytes written through a wild pointer");
        Chain(number, info, context);
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
    // The task may have ended before the signal arrived. If the task runs other code, such as a
    // library, the task ends at the return to the kernel, whose code is then not executable.
    if (worker->inTask.load() && worker->Code().Contains(ProgramCounter(context))) {
        LeaveIfAsked(*worker);
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
    // SA_NODEFER: the handler leaves by setcontext, which restores the scheduler's signal mask.
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    sigaction(number, &ours, nullptr);
}

}  // namespace

int EscapeSignal() { return SIGRTMAX - 7; }

void InstallFaultHandlers() {
    // Runs before every launch, because another library may have replaced a handler meanwhile.
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    for (const int number : kFaults) {
        Install(number, OnFault);
    }
    Install(EscapeSignal(), OnEscape);
}

std::string Worker::DescribeSignal(const Task& task) const {
    char text[256];
    const std::string guard = task.storage->DescribeGuard(faultAddress);
    if (signalNumber == SIGSEGV && task.storage->stack.InGuard(faultAddress)) {
        std::snprintf(text, sizeof(text), "T502 stack overflow: the kernel's frames exceed %zu KiB",
                      Stack::Bytes() >> 10);
    } else if (signalNumber == SIGSEGV && !guard.empty()) {
        std::snprintf(text, sizeof(text),
                      "T501 segmentation fault: the kernel touched %s, by a raw pointer",
                      guard.c_str());
    } else if (signalNumber == SIGSEGV || signalNumber == SIGBUS) {
        const GmRange* gm =
            task.core.launch->NearestRange(reinterpret_cast<uintptr_t>(faultAddress));
        const bool gone = gm->Contains(reinterpret_cast<uintptr_t>(faultAddress));
        if (gone) {
            std::snprintf(
                text, sizeof(text),
                "T501 segmentation fault: the kernel touched %s, whose host memory is not "
                "there or must not be written",
                DescribeGm(task.core, reinterpret_cast<uintptr_t>(faultAddress)).c_str());
        } else {
            std::snprintf(
                text, sizeof(text),
                "T501 segmentation fault: the kernel touched host address %p by a raw pointer",
                faultAddress);
        }
    } else if (signalNumber == SIGFPE) {
        std::snprintf(text, sizeof(text),
                      "T503 arithmetic trap: an integer division by zero or its like");
    } else if (signalNumber == SIGILL || signalNumber == SIGTRAP) {
        std::snprintf(text, sizeof(text),
                      "T504 illegal instruction: a trap or an unreachable place was reached");
    } else {
        std::snprintf(text, sizeof(text),
                      "T505 abort: the kernel called abort() or an assert failed");
    }
    return text;
}

std::string Worker::DescribeEscape(const Task& task) const {
    const std::string place = DescribePlace(task.core);
    switch (escape) {
        case Escape::Error: {
            // Inserts the source location before the line "try:", if the message has one.
            const size_t way = std::min(errorText.find("\n  try: "), errorText.size());
            return errorText.substr(0, way) + place + calledAt + errorText.substr(way);
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
    return DescribeSignal(task) + "; the last Ascend C call before it was" + place;
}

std::string DescribeStranded(const Task& task) {
    return "T507 timeout: the kernel does not come back from a call outside its own code; the last "
           "instruction is" +
           DescribePlace(task.core) +
           "\n  try: look for a lock that it waits for; this process cannot run the kernel again";
}

Ends HowItEnds(const char* message) {
    const ErrorCode* const end = kErrorCodes + kErrorCodeCount;
    const ErrorCode* const found =
        std::find_if(kErrorCodes, end, [message](const ErrorCode& known) {
            return std::strncmp(message, known.code, sizeof(known.code) - 1) == 0;
        });
    return found == end ? Ends::Exception : found->ends;
}

}  // namespace twin
