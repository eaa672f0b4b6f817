// SPDX-License-Identifier: Apache-2.0
#include "core/core_output.h"

#include <cstdio>

#include "core/launch_state.h"

namespace twin {
namespace {

/// Largest output of one core that is kept in memory while it waits. The chip keeps 1 MiB.
constexpr uint64_t kMostBytes = 16 << 20;
constexpr const char* kNoMore = "\n(the twin prints at most 16 MiB of a core)\n";

void Print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

/// The toolkit's runtime begins the output of a core in the same way; here the block follows.
std::string HeadOf(const Core& core) {
    const std::string kind = Name(core.kind);
    return "DumpHead: " + kind + "-" + std::to_string(core.LogicalBlockIdx()) +
           ", CoreType=" + kind + ", block dim=" + std::to_string(core.blockNum) +
           ", block=" + std::to_string(core.blockIdx) +
           ", sub_block=" + std::to_string(core.subBlockIdx) + "\n";
}

}  // namespace

void CoreOutput::Write(const Core& core, const char* text, size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Part& part = parts_[core.coreIdx];
    if (part.bytes > kMostBytes || bytes == 0) {
        return;
    }
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
        Print(std::string(text, bytes));
    } else {
        core->launch->output.Write(*core, text, bytes);
    }
}

}  // namespace twin
