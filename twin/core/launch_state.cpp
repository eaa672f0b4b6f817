// SPDX-License-Identifier: Apache-2.0
#include "core/launch_state.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace twin {
namespace {

constexpr size_t kMaxWaitersShown = 8;
/// Bytes of L1 that the Matmul server takes in kernels of the types KERNEL_TYPE_MIX_*. In these
/// kernels the framework reserves no UB, but tiling gets a UB size that is 256 B smaller.
constexpr uint64_t kServerL1Bytes = 128;

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

/// Returns the number of cores, of all blocks together, that run at the same time.
uint32_t CoresAtOnce(const SocInfo& soc, BlockShape shape) {
    return (shape.aic != 0 ? soc.aicCores : soc.aivCores) * shape.Cores();
}

/// Shuffles the numbers. Does not use std::shuffle, because its result for a seed depends on the
/// standard library. CANNERY_CORE_ORDER must give the same order everywhere.
void Shuffle(uint32_t* first, size_t count, std::mt19937_64* random) {
    for (size_t i = count; i > 1; --i) {
        std::swap(first[i - 1], first[(*random)() % i]);
    }
}

}  // namespace

std::string DescribePlace(const Core& core) {
    std::string text = "\n  at ";
    if (core.where.line != 0) {
        text += std::string(core.where.file) + ":" + std::to_string(core.where.line);
        // The function's name is empty if a check of core/arithmetic.h has failed.
        text += core.where.function[0] == '\0' ? "" : std::string(" ") + core.where.function;
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
    ended_.resize(order.size());
    crossFlags.Resize(shape, launchSpec.blockDim);
    BuildGmRanges();
}

uint64_t LaunchState::LibraryL1() const { return soc.l1Bytes - (IsMix() ? kServerL1Bytes : 0); }

void LaunchState::AddFailure(const Core& core, bool timeLimit, std::string text) {
    Failure failure;
    failure.coreIdx = core.coreIdx;
    failure.kind = core.kind;
    failure.timeLimit = timeLimit;
    failure.text = std::move(text);
    failures.push_back(std::move(failure));
}

const Failure* LaunchState::FirstFailure() const {
    const auto first =
        std::min_element(failures.begin(), failures.end(), [](const Failure& a, const Failure& b) {
            return a.timeLimit != b.timeLimit ? b.timeLimit : a.coreIdx < b.coreIdx;
        });
    return first == failures.end() ? nullptr : &*first;
}

void LaunchState::NoteEnd(const Core& core) {
    --active;
    ++finished;
    ended_[core.coreIdx] = true;
    while (firstOpen < ended_.size() && ended_[firstOpen]) {
        ++firstOpen;
    }
    output.Advance(firstOpen);
    for (auto log = endedAtomics_.lower_bound(appliedBelow_);
         log != endedAtomics_.end() && log->first < firstOpen; ++log) {
        PutIntoMemory(log->first, log->second);
    }
    appliedBelow_ = firstOpen;
    const Failure* const failure = FirstFailure();
    if (failure != nullptr && (failure->timeLimit || failure->coreIdx < firstOpen)) {
        End();
    }
    NoteChange();
}

void LaunchState::ResolveStandstill() {
    if (!MakeRoomForAtomics()) {
        // A core that waits for a failed core has not failed itself.
        if (failures.empty()) {
            ReportDeadlock();
        }
        End();
    }
    NoteChange();
}

Task* LaunchState::FindLive(uint32_t coreIdx) const {
    const auto found = std::find_if(live.begin(), live.end(), [coreIdx](const Task* task) {
        return task->core.coreIdx == coreIdx;
    });
    return found == live.end() ? nullptr : *found;
}

std::vector<uint32_t> LaunchState::OthersThan(const std::vector<uint32_t>& cores,
                                              bool aivOnly) const {
    std::vector<uint32_t> others;
    for (uint32_t core = 0; core < order.size(); ++core) {
        const bool takesPart = !aivOnly || shape.KindOf(core) == CoreKind::Aiv;
        if (takesPart && std::find(cores.begin(), cores.end(), core) == cores.end()) {
            others.push_back(core);
        }
    }
    return others;
}

std::string LaunchState::DescribeNeed(const Awaited& awaited) const {
    std::string text = "\n    needs " + awaited.call + " on";
    size_t shown = 0;
    for (const uint32_t core : awaited.cores) {
        if (shown == kMaxWaitersShown) {
            return text + " and " + std::to_string(awaited.cores.size() - shown) + " more";
        }
        text += std::string(shown++ == 0 ? " " : ", ") + "core " + std::to_string(core) + " " +
                Name(shape.KindOf(core)) +
                (ended_[core]                ? " (ended)"
                 : FindLive(core) == nullptr ? " (not started)"
                                             : "");
    }
    return text;
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
        if (task->awaited) {
            for (const Awaited& awaited : task->awaited()) {
                text += DescribeNeed(awaited);
            }
        }
    }
    return text;
}

void LaunchState::ReportDeadlock() {
    const auto byIndex = [](const Task* left, const Task* right) {
        return left->core.coreIdx < right->core.coreIdx;
    };
    const auto lowest = std::min_element(live.begin(), live.end(), byIndex);
    Failure failure;
    failure.coreIdx = 0;
    failure.kind = shape.KindOf(0);
    failure.text = "T301 deadlock: every core that has not ended waits (" +
                   std::to_string(finished) + " of " + std::to_string(order.size()) +
                   " cores ended";
    failure.allStand = next == order.size();
    if (!failure.allStand) {
        failure.text += ", " + std::to_string(order.size() - next) +
                        " wait for a free place: " + soc.name + " has " + std::to_string(maxActive);
    }
    failure.text +=
        ")" + DescribeWaiters() + (lowest == live.end() ? "" : DescribePlace((*lowest)->core)) +
        "\n  try: let every block reach the synchronisation, with blockDim <= the number of cores";
    failures.push_back(std::move(failure));
}

std::unique_ptr<Task> LaunchState::MakeTask(std::unique_ptr<CoreStorage> storage) {
    auto task = std::make_unique<Task>();
    Core& core = task->core;
    core.launch = this;
    core.task = task.get();
    core.soc = &soc;
    core.coreIdx = order[next];
    core.blockIdx = shape.BlockOf(core.coreIdx);
    core.subBlockIdx = shape.SubBlockOf(core.coreIdx);
    core.blockNum = spec.blockDim;
    core.kind = shape.KindOf(core.coreIdx);
    core.taskRation = core.kind == CoreKind::Aiv ? shape.aiv : 1;
    core.tilingKey = spec.tilingKey;
    core.strict = spec.settings.strict;
    core.pedantic = spec.settings.pedantic;
    core.judged = spec.settings.hazards != Hazards::Off;
    core.stop = &stop;
    storage->Attach(&core);
    task->storage = std::move(storage);
    return task;
}

Task* LaunchState::Start(std::unique_ptr<Task> task) {
    // Allocates both lists first. If there is no memory, nothing has changed yet.
    std::list<Task*> alive{task.get()};
    std::list<std::unique_ptr<Task>> started;
    started.push_back(std::move(task));
    live.splice(live.end(), alive);
    tasks.splice(tasks.end(), started);
    ++next;
    ++active;
    startOutOfTurn_ = false;
    return tasks.back().get();
}

}  // namespace twin
