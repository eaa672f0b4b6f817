// SPDX-License-Identifier: Apache-2.0
#include "core/core_output.h"

#include <setjmp.h>
#include <signal.h>

#include <cstdio>

#include "core/host_output.h"
#include "core/launch_state.h"
#include "core/worker.h"

namespace twin {
namespace {

/// Largest output of one core; further output is dropped. The hardware's limit is 1 MiB.
constexpr uint64_t kMostBytes = 16 << 20;
constexpr const char* kNoMore = "\n(the twin prints at most 16 MiB of a core)\n";

void Print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

/// Returns the line above a core's output: the line that the toolkit prints, plus block indices.
std::string HeadOf(const Core& core) {
    const std::string kind = Name(core.kind);
    return "DumpHead: " + kind + "-" + std::to_string(core.LogicalBlockIdx()) +
           ", CoreType=" + kind + ", block dim=" + std::to_string(core.blockNum) +
           ", block=" + std::to_string(core.blockIdx) +
           ", sub_block=" + std::to_string(core.subBlockIdx) + "\n";
}

struct Containment {
    sigjmp_buf exit;
    MemoryFault fault;
    Containment* outer = nullptr;
};

thread_local Containment* tContainment = nullptr;

}  // namespace

void CoreOutput::Write(const Core& core, const char* text, size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Part& part = parts_[core.coreIdx];
    if (part.bytes > kMostBytes || bytes == 0) {
        return;
    }
    printed_ = true;
    part.waiting += part.bytes == 0 ? HeadOf(core) : "";
    part.waiting.append(text, bytes);
    part.bytes += bytes;
    part.inLine = text[bytes - 1] != '\n';
    part.waiting += part.bytes > kMostBytes ? kNoMore : "";
    if (core.coreIdx == open_) {
        Print(part.waiting);
        part.waiting.clear();
    }
}

void CoreOutput::Advance(uint32_t core) {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = core;
    while (!parts_.empty() && parts_.begin()->first <= core) {
        Part& part = parts_.begin()->second;
        if (parts_.begin()->first == core) {
            Print(part.waiting);
            part.waiting.clear();
            break;
        }
        Print(part.waiting + (part.inLine ? "\n" : ""));
        parts_.erase(parts_.begin());
    }
}

void PrintFromCore(const char* text, size_t bytes) {
    Core* core = SelfOrNull();
    if (core == nullptr) {
        HostOutput::AddPrinted(text, bytes);
        Print(std::string(text, bytes));
    } else {
        core->launch->output.Write(*core, text, bytes);
    }
}

bool RunContained(void (*work)(void*), void* argument, MemoryFault* fault) noexcept {
    // The C API calls RunContained very often: the handlers are installed only once. Every launch
    // checks that the handlers are still installed.
    static const bool installed = (InstallFaultHandlers(), true);
    static_cast<void>(installed);
    Containment here;
    here.outer = tContainment;
    // The handlers block no signals, so there is no mask to restore.
    if (sigsetjmp(here.exit, 0) != 0) {
        tContainment = here.outer;
        *fault = here.fault;
        return false;
    }
    tContainment = &here;
    work(argument);
    tContainment = here.outer;
    return true;
}

void LeaveContained(int signal, const void* address) {
    if (Containment* const innermost = tContainment) {
        innermost->fault = {address, signal};
        siglongjmp(innermost->exit, 1);
    }
}

void WatchFaults() { InstallFaultHandlers(); }

std::string DescribeSignal(const MemoryFault& fault) {
    char text[96];
    switch (fault.signal) {
        case SIGFPE:
            return "a division by zero or the like (SIGFPE)";
        case SIGABRT:
            return "abort(), as a failed assertion calls it (SIGABRT)";
        case SIGSEGV:
        case SIGBUS:
            std::snprintf(text, sizeof(text), "an access to address %p, which is not there (%s)",
                          fault.address, fault.signal == SIGBUS ? "SIGBUS" : "SIGSEGV");
            return text;
        default:
            return "signal " + std::to_string(fault.signal);
    }
}

std::string Describe(const MemoryFault& fault, const std::string& what) {
    char address[32];
    std::snprintf(address, sizeof(address), "%p", fault.address);
    return "T501 segmentation fault: " + what + " met host address " + address +
           ", which is not there or must not be written\n  try: keep the memory mapped, and its "
           "file as long as it was, until the stream is synchronised";
}

}  // namespace twin
