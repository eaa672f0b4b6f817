// SPDX-License-Identifier: Apache-2.0
#include "core/launch_state.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace twin {
namespace {

constexpr size_t kMaxWaitersShown = 8;

}  // namespace

std::string DescribePlace(const Core& core) {
    std::string text = "\n  at ";
    if (core.where.line != 0) {
        text += std::string(core.where.file) + ":" + std::to_string(core.where.line) + " " +
                core.where.function;
    } else {
        text += "the kernel's start";
    }
    text += "   core " + std::to_string(core.blockIdx) + " " + Name(core.kind);
    text += ", block " + std::to_string(core.blockIdx) + " of " + std::to_string(core.blockNum);
    return text;
}

LaunchState::LaunchState(const LaunchSpec& launchSpec, const SocInfo& socInfo,
                         KernelKind kernelKind)
    : spec(launchSpec),
      soc(socInfo),
      kind(kernelKind),
      order(launchSpec.blockDim),
      maxActive(socInfo.aivCores) {
    std::iota(order.begin(), order.end(), 0U);
    if (spec.settings.coreOrder != 0) {
        // Own shuffle: std::shuffle may differ between standard libraries, and a seed must mean the
        // same everywhere.
        std::mt19937_64 random(spec.settings.coreOrder);
        for (size_t i = order.size(); i > 1; --i) {
            std::swap(order[i - 1], order[random() % i]);
        }
    }
    crossFlags.Resize(launchSpec.blockDim);
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
    std::sort(gm.begin(), gm.end(), byAddress);
}

void LaunchState::AddFailure(const Core& core, bool timeout, std::string text) {
    Failure failure;
    failure.block = core.blockIdx;
    failure.subBlock = core.subBlockIdx;
    failure.timeout = timeout;
    failure.text = std::move(text);
    failures.push_back(std::move(failure));
    failed = true;
}

const Failure* LaunchState::FirstFailure() const {
    const auto first =
        std::min_element(failures.begin(), failures.end(), [](const Failure& a, const Failure& b) {
            return a.block != b.block ? a.block < b.block : a.subBlock < b.subBlock;
        });
    return first == failures.end() ? nullptr : &*first;
}

std::string LaunchState::DescribeWaiters() const {
    std::string text;
    size_t shown = 0;
    for (const Task* task : live) {
        if (++shown > kMaxWaitersShown) {
            return text + "\n  ... and " + std::to_string(live.size() - kMaxWaitersShown) + " more";
        }
        text += "\n  core " + std::to_string(task->core.blockIdx) + " " + Name(task->core.kind) +
                " waits for " + task->waitsFor + " at " + task->core.where.file + ":" +
                std::to_string(task->core.where.line);
    }
    return text;
}

void LaunchState::ReportDeadlock() {
    Failure failure;
    failure.block = 0;
    failure.timeout = true;
    failure.text = "T301 deadlock: every core that has not ended waits (" +
                   std::to_string(finished) + " of " + std::to_string(order.size()) +
                   " blocks ended";
    if (next < order.size()) {
        failure.text += ", " + std::to_string(order.size() - next) +
                        " wait for a free core: " + soc.name + " has " + std::to_string(maxActive);
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
    core.blockIdx = order[next++];
    core.blockNum = spec.blockDim;
    core.kind = CoreKind::Aiv;
    core.tilingKey = spec.tilingKey;
    core.strict = spec.settings.strict;
    core.stop = &stop;
    // Kernels that synchronise across cores lose the last 256 bytes to the framework.
    core.ubBytes = soc.ubBytes - (kind == KernelKind::MixAiv10 ? 256 : 0);
    core.ub = storage->ub;
    task->storage = std::move(storage);
    ++active;
    live.push_back(task.get());
    return task;
}

}  // namespace twin
