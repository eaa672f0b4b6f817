// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_EXECUTOR_H
#define TWIN_HOST_EXECUTOR_H

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/launch.h"
#include "host/executor_tensor.h"
#include "host/handles.h"

namespace twin::host {

/// Work of a built-in operator that needs no kernel, on the thread of the stream. `tensors`: as
/// they were when phase 2 was called.
using HostWork =
    std::function<LaunchResult(const std::vector<ExecutorTensor>& tensors, uint32_t threads)>;

/// The result of phase 1. Tensors: inputs, then outputs, in definition order.
struct Executor {
    std::mutex mutex;  ///< guards the addresses and `repeatable`
    std::string opType;
    std::vector<ExecutorTensor> tensors;
    size_t inputCount = 0;
    bool skip = false;  ///< every output is empty: nothing to launch
    bool repeatable = false;
    HostWork hostWork;            ///< instead of a kernel
    uint64_t workspaceBytes = 0;  ///< what phase 1 asked for
    uint64_t userOffset = 0;      ///< of the part that the kernel may use, behind the system's
    uint64_t userBytes = 0;
    std::shared_ptr<const KernelImage> image;
    std::shared_ptr<std::vector<uint64_t>> tilingData;
    uint64_t tilingBytes = 0;
    uint64_t tilingKey = 0;
    uint32_t blockDim = 0;
    std::string soc;
};

/// Executors of the process. Never destroyed.
HandleTable<Executor>& Executors();

/// Kernel and copies of one phase 2 as one task for a stream.
struct LaunchPlan {
    struct Copy {
        uintptr_t base;  ///< address of element [0, ..., 0]
        const ExecutorTensor* tensor;
        uint8_t* target;
    };

    std::vector<ExecutorTensor> tensors;  ///< a copy: the executor may change or go
    std::vector<Copy> copies;
    GmRange workspace;  ///< as phase 1 asked for it
    std::shared_ptr<std::vector<uint64_t>> tilingData;
    uint8_t* userWorkspace = nullptr;
    uint64_t userBytes = 0;
    LaunchSpec spec;
};

/// The executor's mutex must be held.
std::shared_ptr<LaunchPlan> PlanLaunch(const Executor& executor, void* workspace);
/// Threads that a copy of the host may use.
uint32_t HostThreads(const Settings& settings);
LaunchResult RunPlan(LaunchPlan* plan, const std::shared_ptr<std::atomic<bool>>& cancel);

}  // namespace twin::host

#endif  // TWIN_HOST_EXECUTOR_H
