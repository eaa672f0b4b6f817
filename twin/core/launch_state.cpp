// SPDX-License-Identifier: Apache-2.0
#include "core/launch_state.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <random>

namespace twin {
namespace {

constexpr size_t kMaxWaitersShown = 8;
constexpr uint64_t kReservedBytes = 256;

}  // namespace

uintptr_t SystemWorkspace(uint64_t bytes) {
    // Mapped once, never given back; only pages that are used take memory.
    static void* const mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        throw std::bad_alloc();
    }
    return reinterpret_cast<uintptr_t>(mapping);
}

std::string DescribePlace(const Core& core) {
    std::string text = "\n  at ";
    if (core.where.line != 0) {
        text += std::string(core.where.file) + ":" + std::to_string(core.where.line) + " " +
                core.where.function;
    } else {
        text += "the kernel's start";
    }
    text += "   core " + std::to_string(core.coreIdx) + " " + Name(core.kind);
    text += ", block " + std::to_string(core.blockIdx) + " of " + std::to_string(core.blockNum);
    if (core.taskRation > 1) {
        text += ", subBlockIdx " + std::to_string(core.subBlockIdx);
    }
    return text;
}

namespace {

BlockShape ShapeOf(KernelKind kind) {
    switch (kind) {
        case KernelKind::AicOnly:
        case KernelKind::MixAic10:
            return BlockShape{1, 0};
        case KernelKind::MixAic11:
            return BlockShape{1, 1};
        case KernelKind::MixAic12:
            return BlockShape{1, 2};
        default:
            return BlockShape{0, 1};
    }
}

/// Blocks that run at the same time, in cores.
uint32_t CoresAtOnce(const SocInfo& soc, BlockShape shape) {
    return (shape.aic != 0 ? soc.aicCores : soc.aivCores) * shape.Cores();
}

/// Own shuffle: std::shuffle may differ between standard libraries, and a seed must mean the same
/// everywhere.
void Shuffle(uint32_t* first, size_t count, std::mt19937_64* random) {
    for (size_t i = count; i > 1; --i) {
        std::swap(first[i - 1], first[(*random)() % i]);
    }
}

}  // namespace

LaunchState::LaunchState(const LaunchSpec& launchSpec, const SocInfo& socInfo,
                         KernelKind kernelKind)
    : spec(launchSpec),
      soc(socInfo),
      kind(kernelKind),
      shape(ShapeOf(kernelKind)),
      maxActive(CoresAtOnce(socInfo, ShapeOf(kernelKind))) {
    std::vector<uint32_t> blocks(launchSpec.blockDim);
    std::iota(blocks.begin(), blocks.end(), 0U);
    std::mt19937_64 random(spec.settings.coreOrder);
    if (spec.settings.coreOrder != 0) {
        Shuffle(blocks.data(), blocks.size(), &random);
    }
    const uint32_t perBlock = shape.Cores();
    for (const uint32_t block : blocks) {
        for (uint32_t member = 0; member < perBlock; ++member) {
            order.push_back(block * perBlock + member);
        }
        if (spec.settings.coreOrder != 0 && perBlock > 1) {
            Shuffle(&order[order.size() - perBlock], perBlock, &random);
        }
    }
    crossFlags.Resize(shape, launchSpec.blockDim);
    BuildGmRanges();
}

void LaunchState::BuildGmRanges() {
    std::vector<GmRange> windows = spec.windows;
    windows.erase(std::remove_if(windows.begin(), windows.end(),
                                 [](const GmRange& w) { return w.bytes == 0; }),
                  windows.end());
    const auto byAddress = [](const GmRange& a, const GmRange& b) { return a.begin < b.begin; };
    std::sort(windows.begin(), windows.end(), byAddress);
    // Tensors that share memory become one window: a pointer alone cannot tell which of them is
    // meant.
    for (const GmRange& window : windows) {
        if (!gm.empty() && window.begin < gm.back().End()) {
            GmRange& last = gm.back();
            last.bytes = std::max(last.End(), window.End()) - last.begin;
            last.readOnly = last.readOnly && window.readOnly;
            last.label += " + " + window.label;
        } else {
            gm.push_back(window);
        }
    }
    const std::vector<GmRange> exact = gm;
    for (GmRange range : GmRegistry::Instance().Snapshot()) {
        // What lies around a window in the same allocation stays reachable by pointers of its own.
        for (const GmRange& window : exact) {
            if (window.End() <= range.begin || window.begin >= range.End()) {
                continue;
            }
            const uintptr_t end = range.End();
            if (window.begin > range.begin) {
                GmRange before = range;
                before.bytes = window.begin - range.begin;
                gm.push_back(std::move(before));
            }
            range.begin = std::min(end, window.End());
            range.bytes = end - range.begin;
        }
        if (range.bytes != 0) {
            gm.push_back(std::move(range));
        }
    }
    GmRange system;
    system.begin = SystemWorkspace(soc.systemWorkspaceBytes);
    system.bytes = soc.systemWorkspaceBytes;
    system.label = "system workspace";
    gm.push_back(std::move(system));
    std::sort(gm.begin(), gm.end(), byAddress);
}

void LaunchState::AddFailure(const Core& core, std::string text) {
    Failure failure;
    failure.coreIdx = core.coreIdx;
    failure.kind = core.kind;
    failure.text = std::move(text);
    failures.push_back(std::move(failure));
    failed = true;
}

const Failure* LaunchState::FirstFailure() const {
    const auto first =
        std::min_element(failures.begin(), failures.end(),
                         [](const Failure& a, const Failure& b) { return a.coreIdx < b.coreIdx; });
    return first == failures.end() ? nullptr : &*first;
}

std::string LaunchState::DescribeWaiters() const {
    std::string text;
    size_t shown = 0;
    for (const Task* task : live) {
        if (++shown > kMaxWaitersShown) {
            return text + "\n  ... and " + std::to_string(live.size() - kMaxWaitersShown) + " more";
        }
        text += "\n  core " + std::to_string(task->core.coreIdx) + " " + Name(task->core.kind) +
                " waits for " + task->waitsFor + " at " + task->core.where.file + ":" +
                std::to_string(task->core.where.line);
    }
    return text;
}

void LaunchState::ReportDeadlock() {
    Failure failure;
    failure.coreIdx = 0;
    failure.kind = shape.KindOf(0);
    failure.text = "T301 deadlock: every core that has not ended waits (" +
                   std::to_string(finished) + " of " + std::to_string(order.size()) +
                   " cores ended";
    if (next < order.size()) {
        failure.text += ", " + std::to_string(order.size() - next) +
                        " wait for a free place: " + soc.name + " has " + std::to_string(maxActive);
    }
    failure.text +=
        ")" + DescribeWaiters() +
        "\n  try: let every block reach the synchronisation, with blockDim <= the number of cores";
    failures.push_back(std::move(failure));
    failed = true;
}

std::unique_ptr<Task> LaunchState::NextTask(std::unique_ptr<CoreStorage> storage) {
    auto task = std::make_unique<Task>();
    Core& core = task->core;
    core.launch = this;
    core.task = task.get();
    core.soc = &soc;
    core.coreIdx = order[next++];
    core.blockIdx = shape.BlockOf(core.coreIdx);
    core.subBlockIdx = shape.SubBlockOf(core.coreIdx);
    core.blockNum = spec.blockDim;
    core.kind = shape.KindOf(core.coreIdx);
    core.taskRation = core.kind == CoreKind::Aiv ? shape.aiv : 1;
    core.tilingKey = spec.tilingKey;
    core.strict = spec.settings.strict;
    core.stop = &stop;
    storage->Attach(&core);
    // Kernels that synchronise across cores lose the last 256 bytes to the framework.
    const uint64_t reserved = HasSyncHardware() ? kReservedBytes : 0;
    core.memoryBytes[static_cast<size_t>(Memory::Ub)] = soc.ubBytes - reserved;
    core.memoryBytes[static_cast<size_t>(Memory::L1)] = soc.l1Bytes - reserved;
    core.ubBytes = soc.ubBytes - reserved;
    task->storage = std::move(storage);
    ++active;
    live.push_back(task.get());
    return task;
}

}  // namespace twin
